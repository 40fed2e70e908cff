/* The softmax of each of 8,192 rows of 2,048 values. */

#include <math.h>

#define R 8192
#define C 2048
void kernel_softmax8k(const float x[R][C], float y[R][C]) {
  for (int r = 0; r < R; r++) {
    float m = x[r][0], s = 0;
    for (int c = 1; c < C; c++) m = fmaxf(m, x[r][c]);
    for (int c = 0; c < C; c++) { y[r][c] = expf(x[r][c] - m); s += y[r][c]; }
    for (int c = 0; c < C; c++) y[r][c] /= s;
  }
}
