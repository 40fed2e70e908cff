/* Four steps of an upwind scheme in three dimensions. */

#define N 128
#define T 4
void kernel_upwind(const float u[N][N][N], const float v[N][N][N], const float w[N][N][N], float q[N][N][N]) {
  static float r[N][N][N];
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++) {
          float dx = u[i][j][k] > 0 ? q[i][j][k] - q[i-1][j][k] : q[i+1][j][k] - q[i][j][k];
          float dy = v[i][j][k] > 0 ? q[i][j][k] - q[i][j-1][k] : q[i][j+1][k] - q[i][j][k];
          float dz = w[i][j][k] > 0 ? q[i][j][k] - q[i][j][k-1] : q[i][j][k+1] - q[i][j][k];
          r[i][j][k] = q[i][j][k] - 0.1f * (u[i][j][k] * dx + v[i][j][k] * dy + w[i][j][k] * dz);
        }
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        for (int k = 1; k < N - 1; k++) q[i][j][k] = r[i][j][k];
  }
}
