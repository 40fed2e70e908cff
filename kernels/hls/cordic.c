/* Sine and cosine by CORDIC in fixed point (20 bits behind the point): only shifts, additions and a table. */
#include <stdint.h>

#define N 128
#define STEPS 16

static const int32_t angle[STEPS] = {
  823550, 486170, 256879, 130396, 65451, 32757, 16383, 8192, 4096, 2048, 1024, 512, 256, 128, 64, 32
};

void cordic(const int16_t phase[N], int32_t cosine[N], int32_t sine[N])
{
  for (int i = 0; i < N; i++) {
    int32_t x = 636751, y = 0, z = phase[i];
    for (int k = 0; k < STEPS; k++) {
      int32_t dx = y >> k, dy = x >> k;
      if (z < 0) {
        x += dx;
        y -= dy;
        z += angle[k];
      } else {
        x -= dx;
        y += dy;
        z -= angle[k];
      }
    }
    cosine[i] = x;
    sine[i] = y;
  }
}
