/* An image twice as large by bilinear interpolation, in integers. */
#include <stdint.h>

#define H 24
#define W 32

void bilinear_resize(const uint8_t in[H][W], uint8_t out[2 * H][2 * W])
{
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      int below = y + 1 < H ? y + 1 : H - 1, right = x + 1 < W ? x + 1 : W - 1;
      int a = in[y][x], b = in[y][right], c = in[below][x], d = in[below][right];
      out[2 * y][2 * x] = a;
      out[2 * y][2 * x + 1] = (a + b + 1) >> 1;
      out[2 * y + 1][2 * x] = (a + c + 1) >> 1;
      out[2 * y + 1][2 * x + 1] = (a + b + c + d + 2) >> 2;
    }
}
