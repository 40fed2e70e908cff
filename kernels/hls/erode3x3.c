/* Erosion: the darkest of 3x3 pixels, those outside left out. */
#include <stdint.h>

#define H 32
#define W 48

void erode3x3(const uint8_t in[H][W], uint8_t out[H][W])
{
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      uint8_t least = 255;
      for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++) {
          if (y + i < 0 || y + i >= H || x + j < 0 || x + j >= W)
            continue;
          if (in[y + i][x + j] < least)
            least = in[y + i][x + j];
        }
      out[y][x] = least;
    }
}
