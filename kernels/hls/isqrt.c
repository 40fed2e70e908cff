/* Integer square roots, one bit at a time. */
#include <stdint.h>

#define N 128

void isqrt(const uint32_t x[N], uint16_t root[N])
{
  for (int i = 0; i < N; i++) {
    uint32_t rest = x[i], r = 0;
    for (int k = 15; k >= 0; k--) {
      uint32_t bit = 1u << (2 * k);
      if (rest >= r + bit) {
        rest -= r + bit;
        r = (r >> 1) + bit;
      } else {
        r >>= 1;
      }
    }
    root[i] = r;
  }
}
