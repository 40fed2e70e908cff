/* Depthwise 3x3 convolution of 8-bit feature maps, scaled back and saturated, loops with labels. */
#include <stdint.h>
#define C 16
#define H 16
#define W 16
void depthwise(const int8_t in[C][H + 2][W + 2], const int8_t k[C][3][3], const int32_t bias[C], int8_t out[C][H][W])
{
  chan: for (int c = 0; c < C; ++c)
    row: for (int y = 0; y < H; ++y)
      col: for (int x = 0; x < W; ++x) {
        int32_t acc = bias[c];
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j)
            acc += (int32_t)in[c][y + i][x + j] * k[c][i][j];
        acc >>= 7;
        if (acc > 127) acc = 127;
        if (acc < -128) acc = -128;
        out[c][y][x] = (int8_t)acc;
      }
}
