/* Block matching of motion estimation: the displacement of the least sum of absolute differences. */
#include <stdint.h>
#include <stdlib.h>
#define B 16
#define S 8
void motion(const uint8_t cur[B][B], const uint8_t ref[B + 2 * S][B + 2 * S], int *mvx, int *mvy, unsigned *cost)
{
  unsigned best = ~0u; int bx = 0, by = 0;
  for (int dy = 0; dy <= 2 * S; dy++)
    for (int dx = 0; dx <= 2 * S; dx++) {
      unsigned sad = 0;
      for (int y = 0; y < B; y++)
        for (int x = 0; x < B; x++)
          sad += abs(cur[y][x] - ref[y + dy][x + dx]);
      if (sad < best) { best = sad; bx = dx - S; by = dy - S; }
    }
  *mvx = bx; *mvy = by; *cost = best;
}
