/* Disparities of 240 x 320 pixels among 32 by sums over windows of 7 x 7. */

#include <stdlib.h>
#define H 240
#define W 320
#define D 32
#define R 3
void kernel_stereo(const unsigned char l[H][W], const unsigned char r[H][W], unsigned char disp[H][W]) {
  for (int y = R; y < H - R; y++)
    for (int x = D + R; x < W - R; x++) {
      int best = 1 << 30, arg = 0;
      for (int d = 0; d < D; d++) {
        int sad = 0;
        for (int v = -R; v <= R; v++)
          for (int u = -R; u <= R; u++)
            sad += abs(l[y + v][x + u] - r[y + v][x + u - d]);
        if (sad < best) { best = sad; arg = d; }
      }
      disp[y][x] = arg;
    }
}
