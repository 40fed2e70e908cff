/* Bits of floating-point numbers: by a union, by memcpy, and by the address of a number of another type. */

#include <stdint.h>
#include <string.h>

#define N 11

typedef union {
  double d;
  uint64_t u;
  int64_t i;
} both;

static float widened(uint16_t half)
{
  uint32_t u = (uint32_t)half << 16;
  float f;
  memcpy(&f, &u, sizeof f);
  return f;
}

void bits(const float x[N], const double z[N], float y[N], uint16_t b[N], double e[N], int s[N])
{
  for (int i = 0; i < N; i++) {
    float v = widened((uint16_t)(16256 + i)) * x[i];
    uint32_t shifted = *(uint32_t *)&v;
    b[i] = (uint16_t)((shifted + 0x7fff + ((shifted >> 16) & 1)) >> 16);
    both t = {.d = z[i]};
    t.u &= 0x7fffffffffffffffULL;
    s[i] = (int)(t.i >> 52);
    t.d *= 2.0;
    e[i] = t.d;
    union {
      float f;
      unsigned u;
    } w;
    w.f = v;
    w.u ^= 0x80000000u;
    if (w.f > 0.0f)
      w.u++;
    y[i] = w.f;
  }
}
