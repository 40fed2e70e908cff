/* 3x3 convolution of a grey image; outside of it everything is zero. */
#include <stdint.h>

#define H 48
#define W 64

static const int8_t weight[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};

void conv3x3(const uint8_t in[H][W], uint8_t out[H][W])
{
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      int sum = 0;
      for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++)
          if (y + i >= 0 && y + i < H && x + j >= 0 && x + j < W)
            sum += weight[i + 1][j + 1] * in[y + i][x + j];
      out[y][x] = sum >> 4;
    }
}
