/* A tensor of four dimensions times a matrix along one of them. */

#define N 32
void kernel_ttm4(float Y[N][N][N][N], const float X[N][N][N][N], const float U[N][N]) {
  for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 0; k < N; k++) for (int l = 0; l < N; l++) {
    float s = 0;
    for (int m = 0; m < N; m++) s += U[j][m] * X[i][m][k][l];
    Y[i][j][k][l] = s;
  }
}
