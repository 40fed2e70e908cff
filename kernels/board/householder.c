/* A QR decomposition of 128 x 64 by reflections. */

#include <math.h>
#define M 128
#define N 64
void kernel_householder(float A[M][N], float tau[N]) {
  float w[N];
  for (int k = 0; k < N; k++) {
    float s = 0;
    for (int i = k; i < M; i++) s += A[i][k] * A[i][k];
    float nrm = sqrtf(s);
    float alpha = A[k][k] > 0 ? -nrm : nrm;
    float v0 = A[k][k] - alpha;
    tau[k] = -v0 / alpha;
    for (int i = k + 1; i < M; i++) A[i][k] /= v0;
    A[k][k] = alpha;
    for (int j = k + 1; j < N; j++) {
      w[j] = A[k][j];
      for (int i = k + 1; i < M; i++) w[j] += A[i][k] * A[i][j];
    }
    for (int j = k + 1; j < N; j++) {
      A[k][j] -= tau[k] * w[j];
      for (int i = k + 1; i < M; i++) A[i][j] -= tau[k] * A[i][k] * w[j];
    }
  }
}
