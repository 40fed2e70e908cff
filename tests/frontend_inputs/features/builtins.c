/* Functions that compilers have without a header. */

#include <stdint.h>

#define N 13

void builtins(const uint32_t x[N], const uint64_t y[N], const double z[N], int a[N], uint64_t b[N], double c[N])
{
  for (int i = 0; i < N; i++) {
    uint32_t v = x[i] * 2654435761u | 16u;
    uint64_t w = y[i] * 0x9e3779b97f4a7c15ull | 1ull;
    a[i] = __builtin_popcount(v) + 64 * __builtin_clz(v) - 7 * __builtin_ctz(v) + __builtin_parity(v);
    a[i] += 1000 * (__builtin_popcountll(w) + __builtin_clzll(w >> (i + 30)) + __builtin_ctzll(w << i));
    a[i] ^= __builtin_ffs((int)(v << i)) + 2 * __builtin_parityll(w);
    b[i] = __builtin_bswap64(w) + __builtin_bswap32(v) + __builtin_bswap16((uint16_t)v);
    c[i] = __builtin_sqrt(__builtin_fabs(z[i])) + (__builtin_expect(v > 5, 1) ? 1.0 : 0.0);
  }
}
