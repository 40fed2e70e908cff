/* 64 steps of heat on 2,048 x 2,048 points in two planes that take turns. */

#define N 2048
#define T 64
void kernel_heat2k(float u[2][N][N]) {
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        u[(t + 1) % 2][i][j] = u[t % 2][i][j] + 0.2f * (u[t % 2][i - 1][j] + u[t % 2][i + 1][j] + u[t % 2][i][j - 1] + u[t % 2][i][j + 1] - 4.0f * u[t % 2][i][j]);
}
