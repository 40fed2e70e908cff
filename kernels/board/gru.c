/* A recurrent layer with gates, 64 steps of 128 units. */

#include <math.h>
#define T 64
#define N 128
#define X 64
static float sigm(float v) { return 1.0f / (1.0f + expf(-v)); }
void kernel_gru(const float x[T][X], const float wz[N][X], const float wr[N][X], const float wh[N][X], const float uz[N][N], const float ur[N][N], const float uh[N][N], float h[T + 1][N]) {
  float z[N], r[N];
  for (int t = 0; t < T; t++) {
    for (int i = 0; i < N; i++) {
      float a = 0, b = 0;
      for (int j = 0; j < X; j++) { a += wz[i][j] * x[t][j]; b += wr[i][j] * x[t][j]; }
      for (int j = 0; j < N; j++) { a += uz[i][j] * h[t][j]; b += ur[i][j] * h[t][j]; }
      z[i] = sigm(a); r[i] = sigm(b);
    }
    for (int i = 0; i < N; i++) {
      float c = 0;
      for (int j = 0; j < X; j++) c += wh[i][j] * x[t][j];
      for (int j = 0; j < N; j++) c += uh[i][j] * (r[j] * h[t][j]);
      h[t + 1][i] = (1 - z[i]) * h[t][i] + z[i] * tanhf(c);
    }
  }
}
