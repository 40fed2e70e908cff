/* Price of European call options by the formula of Black and Scholes. */
#include <math.h>

#define N 64

static float normal(float x) { return 0.5f * (1.0f + erff(x * 0.70710678f)); }

void black_scholes(const float spot[N], const float strike[N], const float years[N], float price[N], float rate, float sigma)
{
  for (int i = 0; i < N; i++) {
    float root = sigma * sqrtf(years[i]);
    float d1 = (logf(spot[i] / strike[i]) + (rate + 0.5f * sigma * sigma) * years[i]) / root;
    price[i] = spot[i] * normal(d1) - strike[i] * expf(-rate * years[i]) * normal(d1 - root);
  }
}
