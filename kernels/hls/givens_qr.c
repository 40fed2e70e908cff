/* QR decomposition of a batch of 4x4 matrices by Givens rotations. */
#include <math.h>

#define BATCH 8
#define N 4

void givens_qr(float A[BATCH][N][N], float Q[BATCH][N][N])
{
  for (int b = 0; b < BATCH; b++) {
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        Q[b][i][j] = i == j ? 1.0f : 0.0f;
    for (int j = 0; j < N; j++)
      for (int i = N - 1; i > j; i--) {
        float x = A[b][i - 1][j], y = A[b][i][j], r = sqrtf(x * x + y * y);
        float c = r == 0.0f ? 1.0f : x / r, s = r == 0.0f ? 0.0f : y / r;
        for (int k = 0; k < N; k++) {
          float u = A[b][i - 1][k], v = A[b][i][k];
          A[b][i - 1][k] = c * u + s * v;
          A[b][i][k] = -s * u + c * v;
          u = Q[b][i - 1][k];
          v = Q[b][i][k];
          Q[b][i - 1][k] = c * u + s * v;
          Q[b][i][k] = -s * u + c * v;
        }
      }
  }
}
