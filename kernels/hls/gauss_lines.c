/* Gaussian 3x3 of a grey image as a stream delivers it: two line buffers and a window. */
#include <stdint.h>
#define H 64
#define W 64
void gauss_lines(const uint8_t in[H][W], uint8_t out[H][W])
{
  uint8_t line[2][W] = {{0}};
  uint8_t win[3][3] = {{0}};
  for (int y = 0; y < H; y++) {
    for (int x = 0; x < W; x++) {
      for (int r = 0; r < 3; r++) {
        win[r][0] = win[r][1];
        win[r][1] = win[r][2];
      }
      win[0][2] = line[0][x];
      win[1][2] = line[1][x];
      win[2][2] = in[y][x];
      line[0][x] = line[1][x];
      line[1][x] = in[y][x];
      if (y > 1 && x > 1)
        out[y - 1][x - 1] = (win[0][0] + 2 * win[0][1] + win[0][2] + 2 * win[1][0] + 4 * win[1][1] + 2 * win[1][2]
                             + win[2][0] + 2 * win[2][1] + win[2][2]) >> 4;
    }
  }
}
