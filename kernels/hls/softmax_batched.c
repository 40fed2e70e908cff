/* Softmax of every row, with its maximum subtracted first. */
#include <math.h>

#define ROWS 16
#define N 64

void softmax_batched(const float x[ROWS][N], float y[ROWS][N])
{
  for (int r = 0; r < ROWS; r++) {
    float m = -INFINITY, sum = 0.0f;
    for (int i = 0; i < N; i++)
      if (x[r][i] > m)
        m = x[r][i];
    for (int i = 0; i < N; i++) {
      y[r][i] = expf(x[r][i] - m);
      sum += y[r][i];
    }
    for (int i = 0; i < N; i++)
      y[r][i] /= sum;
  }
}
