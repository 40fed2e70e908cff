/* Median of 3x3 pixels from the least, middle and greatest of its rows; the border is copied. */
#include <stdint.h>

#define H 32
#define W 48

static uint8_t least(uint8_t a, uint8_t b) { return a < b ? a : b; }
static uint8_t greatest(uint8_t a, uint8_t b) { return a > b ? a : b; }

static uint8_t middle(uint8_t a, uint8_t b, uint8_t c)
{
  uint8_t low = least(a, b), high = greatest(a, b);
  return greatest(low, least(high, c));
}

void median3x3(const uint8_t in[H][W], uint8_t out[H][W])
{
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      if (y == 0 || y == H - 1 || x == 0 || x == W - 1) {
        out[y][x] = in[y][x];
        continue;
      }
      uint8_t low[3], mid[3], high[3];
      for (int i = 0; i < 3; i++) {
        uint8_t a = in[y + i - 1][x - 1], b = in[y + i - 1][x], c = in[y + i - 1][x + 1];
        low[i] = least(a, least(b, c));
        mid[i] = middle(a, b, c);
        high[i] = greatest(a, greatest(b, c));
      }
      out[y][x] = middle(greatest(low[0], greatest(low[1], low[2])), middle(mid[0], mid[1], mid[2]),
                         least(high[0], least(high[1], high[2])));
    }
}
