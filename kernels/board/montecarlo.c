/* 4,096 random paths of 64 steps, their largest value kept. */

#include <math.h>
#include <stdint.h>
#define P 4096
#define S 64
void kernel_montecarlo(const uint32_t seed[P], float pay[P], float s0, float mu, float sg) {
  for (int p = 0; p < P; p++) {
    uint32_t x = seed[p];
    float s = s0, m = s0;
    for (int t = 0; t < S; t++) {
      x ^= x << 13; x ^= x >> 17; x ^= x << 5;
      float z = (float)(x >> 8) * 1.1920929e-7f - 1.0f;
      s = s * (1.0f + mu + sg * z);
      m = fmaxf(m, s);
    }
    pay[p] = m - s;
  }
}
