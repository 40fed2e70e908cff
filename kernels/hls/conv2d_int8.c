/* Quantised convolution with ReLU: 8-bit data and weights, 32-bit sums, requantised by a shift. */
#include <stdint.h>

#define CO 8
#define CI 8
#define H 14
#define W 14
#define K 3

void conv2d_int8(const int8_t in[CI][H + K - 1][W + K - 1], const int8_t w[CO][CI][K][K], const int32_t bias[CO], int8_t out[CO][H][W])
{
  for (int o = 0; o < CO; o++)
    for (int y = 0; y < H; y++)
      for (int x = 0; x < W; x++) {
        int32_t sum = bias[o];
        for (int i = 0; i < CI; i++)
          for (int p = 0; p < K; p++)
            for (int q = 0; q < K; q++)
              sum += in[i][y + p][x + q] * w[o][i][p][q];
        sum >>= 7;
        if (sum < 0)
          sum = 0;
        else if (sum > 127)
          sum = 127;
        out[o][y][x] = sum;
      }
}
