/* Rotary positions, pairs of 8 heads of 64 channels turned at 256 places. */

#include <math.h>
#define T 256
#define H 8
#define D 64
void kernel_rope(float q[T][H][D], const float cs[T][D / 2], const float sn[T][D / 2]) {
  for (int t = 0; t < T; t++)
    for (int h = 0; h < H; h++)
      for (int d = 0; d < D / 2; d++) {
        float a = q[t][h][2 * d], b = q[t][h][2 * d + 1];
        q[t][h][2 * d] = a * cs[t][d] - b * sn[t][d];
        q[t][h][2 * d + 1] = a * sn[t][d] + b * cs[t][d];
      }
}
