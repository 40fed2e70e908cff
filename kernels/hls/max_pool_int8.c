/* Max-pooling 2x2 of 8-bit feature maps. */
#include <stdint.h>

#define C 8
#define H 16
#define W 16

void max_pool_int8(const int8_t in[C][2 * H][2 * W], int8_t out[C][H][W])
{
  for (int c = 0; c < C; c++)
    for (int y = 0; y < H; y++)
      for (int x = 0; x < W; x++) {
        int8_t m = -128;
        for (int i = 0; i < 2; i++)
          for (int j = 0; j < 2; j++)
            if (in[c][2 * y + i][2 * x + j] > m)
              m = in[c][2 * y + i][2 * x + j];
        out[c][y][x] = m;
      }
}
