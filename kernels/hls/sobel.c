/* Sobel edges of a grey image, its border repeated outwards. */
#include <stdint.h>
#include <stdlib.h>

#define H 32
#define W 40

static int clamp(int v, int low, int high) { return v < low ? low : v > high ? high : v; }

void sobel(uint8_t in[H][W], uint8_t out[H][W])
{
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      int up = clamp(y - 1, 0, H - 1), down = clamp(y + 1, 0, H - 1);
      int left = clamp(x - 1, 0, W - 1), right = clamp(x + 1, 0, W - 1);
      int gx = in[up][right] + 2 * in[y][right] + in[down][right] - in[up][left] - 2 * in[y][left] - in[down][left];
      int gy = in[down][left] + 2 * in[down][x] + in[down][right] - in[up][left] - 2 * in[up][x] - in[up][right];
      int g = abs(gx) + abs(gy);
      out[y][x] = g > 255 ? 255 : g;
    }
}
