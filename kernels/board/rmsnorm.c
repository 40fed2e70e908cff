/* 512 rows of 768 values, each divided by its root mean square. */

#include <math.h>
#define T 512
#define D 768
void kernel_rmsnorm(const float x[T][D], const float g[D], float y[T][D]) {
  for (int t = 0; t < T; t++) {
    float s = 0.f;
    for (int d = 0; d < D; d++) s += x[t][d] * x[t][d];
    s = 1.0f / sqrtf(s / D + 1e-6f);
    for (int d = 0; d < D; d++) y[t][d] = x[t][d] * s * g[d];
  }
}
