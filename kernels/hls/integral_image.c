/* Integral image: the sum of all pixels above and to the left. */
#include <stdint.h>

#define H 48
#define W 64

void integral_image(const uint8_t in[H][W], uint32_t sum[H][W])
{
  for (int y = 0; y < H; y++) {
    uint32_t row = 0;
    for (int x = 0; x < W; x++) {
      row += in[y][x];
      sum[y][x] = row + (y > 0 ? sum[y - 1][x] : 0);
    }
  }
}
