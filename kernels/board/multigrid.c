/* Residual, restriction and prolongation between grids of 257 x 257 and 129 x 129. */

#define N 257
#define M 129
void kernel_multigrid(const float u[N][N], const float f[N][N], float rc[M][M], float up[N][N], const float ec[M][M]) {
  static float r[N][N];
  for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) r[i][j] = 0;
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      r[i][j] = f[i][j] - (4 * u[i][j] - u[i - 1][j] - u[i + 1][j] - u[i][j - 1] - u[i][j + 1]);
  for (int i = 1; i < M - 1; i++)
    for (int j = 1; j < M - 1; j++)
      rc[i][j] = 0.25f * r[2 * i][2 * j] + 0.125f * (r[2 * i - 1][2 * j] + r[2 * i + 1][2 * j] + r[2 * i][2 * j - 1] + r[2 * i][2 * j + 1]) + 0.0625f * (r[2 * i - 1][2 * j - 1] + r[2 * i - 1][2 * j + 1] + r[2 * i + 1][2 * j - 1] + r[2 * i + 1][2 * j + 1]);
  for (int i = 0; i < M - 1; i++)
    for (int j = 0; j < M - 1; j++) {
      up[2 * i][2 * j] = u[2 * i][2 * j] + ec[i][j];
      up[2 * i + 1][2 * j] = u[2 * i + 1][2 * j] + 0.5f * (ec[i][j] + ec[i + 1][j]);
      up[2 * i][2 * j + 1] = u[2 * i][2 * j + 1] + 0.5f * (ec[i][j] + ec[i][j + 1]);
      up[2 * i + 1][2 * j + 1] = u[2 * i + 1][2 * j + 1] + 0.25f * (ec[i][j] + ec[i + 1][j] + ec[i][j + 1] + ec[i + 1][j + 1]);
    }
}
