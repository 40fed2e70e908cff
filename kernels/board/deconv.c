/* A transposed 2x2 convolution with stride two, of 64 maps of 32 x 32 to 32. */

#define N 32
#define CI 64
#define CO 32
void kernel_deconv(float x[CI][N][N], float w[CI][CO][2][2], float y[CO][2 * N][2 * N]) {
  for (int o = 0; o < CO; o++)
    for (int i = 0; i < 2 * N; i++)
      for (int j = 0; j < 2 * N; j++) y[o][i][j] = 0;
  for (int o = 0; o < CO; o++)
    for (int c = 0; c < CI; c++)
      for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
          for (int u = 0; u < 2; u++)
            for (int v = 0; v < 2; v++)
              y[o][2 * i + u][2 * j + v] += x[c][i][j] * w[c][o][u][v];
}
