/* Four steps of Conway's game of life on a torus: neighbours counted over wrapped borders. */
#include <stdint.h>
#define H 32
#define W 32
#define T 4
void game_of_life(uint8_t g[H][W])
{
  uint8_t n[H][W];
  for (int t = 0; t < T; t++) {
    for (int y = 0; y < H; y++)
      for (int x = 0; x < W; x++) {
        int c = 0;
        for (int dy = -1; dy <= 1; dy++)
          for (int dx = -1; dx <= 1; dx++)
            if (dy != 0 || dx != 0) c += g[(y + dy + H) % H][(x + dx + W) % W];
        n[y][x] = (c == 3 || (c == 2 && g[y][x])) ? 1 : 0;
      }
    for (int y = 0; y < H; y++) for (int x = 0; x < W; x++) g[y][x] = n[y][x];
  }
}
