/* Whole numbers nearest to others, and numbers that are none. */
#include <math.h>
void f(const float x[16], const double y[16], float z[16], long n[16])
{
  for (int i = 0; i < 16; i++) {
    float q = x[i] / (i & 1);
    z[i] = isnan(q - q) ? 1.5f : q;
    n[i] = lroundf(x[i] * 8) + lrint(y[i] * 8) - 3 * llround(y[i]) + llrintf(x[i]);
    if (!isfinite(q))
      n[i] += isinf(q) ? 100 : 7;
  }
}
