/* The inverse of a matrix of 128 x 128 by elimination without pivoting. */

#define N 128
void kernel_gaussjordan(float a[N][N], float inv[N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) inv[i][j] = (i == j) ? 1.0f : 0.0f;
  for (int k = 0; k < N; k++) {
    float p = 1.0f / a[k][k];
    for (int j = 0; j < N; j++) { a[k][j] *= p; inv[k][j] *= p; }
    for (int i = 0; i < N; i++)
      if (i != k) {
        float f = a[i][k];
        for (int j = 0; j < N; j++) { a[i][j] -= f * a[k][j]; inv[i][j] -= f * inv[k][j]; }
      }
  }
}
