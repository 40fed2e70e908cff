/* A transposed 4x4 convolution of stride two, of 32 maps of 28 x 28 to 16: each pixel adds to 16 others. */
#define IN 32
#define OUT 16
#define H 28
#define W 28
#define K 4

void upconv(const float x[IN][H][W], const float w[IN][OUT][K][K], const float bias[OUT], float y[OUT][2 * H + 2][2 * W + 2])
{
  for (int o = 0; o < OUT; o++)
    for (int i = 0; i < 2 * H + 2; i++)
      for (int j = 0; j < 2 * W + 2; j++)
        y[o][i][j] = bias[o];
  for (int o = 0; o < OUT; o++)
    for (int c = 0; c < IN; c++)
      for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++)
          for (int p = 0; p < K; p++)
            for (int q = 0; q < K; q++)
              y[o][2 * i + p][2 * j + q] += x[c][i][j] * w[c][o][p][q];
}
