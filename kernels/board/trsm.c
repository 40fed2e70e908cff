/* A triangular system of 256 unknowns for 128 right sides. */

#define N 256
#define M 128
void kernel_trsm(const float L[N][N], float B[N][M]) {
  for (int j = 0; j < M; j++)
    for (int i = 0; i < N; i++) {
      float s = B[i][j];
      for (int k = 0; k < i; k++) s -= L[i][k] * B[k][j];
      B[i][j] = s / L[i][i];
    }
}
