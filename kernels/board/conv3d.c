/* A 3x3x3 convolution of 8 volumes of 24 x 24 x 24 to 16. */

#define C 8
#define K 16
#define N 24
void kernel_conv3d(const float x[C][N + 2][N + 2][N + 2], const float w[K][C][3][3][3], float y[K][N][N][N]) {
  for (int k = 0; k < K; k++) for (int d = 0; d < N; d++) for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {
    float s = 0;
    for (int c = 0; c < C; c++) for (int p = 0; p < 3; p++) for (int q = 0; q < 3; q++) for (int r = 0; r < 3; r++)
      s += w[k][c][p][q][r] * x[c][d + p][i + q][j + r];
    y[k][d][i][j] = s;
  }
}
