/* 100 steps of a wave on 512 x 512 points in three planes that take turns. */

#define N 512
#define T 100
void kernel_wave(float u[3][N][N]) {
  for (int t = 2; t < T + 2; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        u[t % 3][i][j] = 2.0f * u[(t - 1) % 3][i][j] - u[(t - 2) % 3][i][j] + 0.1f * (u[(t - 1) % 3][i - 1][j] + u[(t - 1) % 3][i + 1][j] + u[(t - 1) % 3][i][j - 1] + u[(t - 1) % 3][i][j + 1] - 4.0f * u[(t - 1) % 3][i][j]);
}
