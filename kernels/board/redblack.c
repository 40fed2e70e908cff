/* 20 red-black relaxations of 512 x 512 points, colours by a condition. */

#define N 512
#define T 20
void kernel_redblack(float u[N][N], float f[N][N]) {
  for (int t = 0; t < T; t++)
    for (int c = 0; c < 2; c++)
      for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
          if ((i + j + c) % 2 == 0)
            u[i][j] = 0.25f * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - f[i][j]);
}
