/* FIR filter on 12-bit samples with 10-bit coefficients and a 26-bit sum, rounded and saturated to 12 bits. */
#include <sisy_types.h>

#define N 512
#define TAPS 16

void fir_int12(const sisy_int12 x[N + TAPS - 1], const sisy_int10 h[TAPS], sisy_int12 y[N])
{
  for (int n = 0; n < N; n++) {
    sisy_int26 sum = 0;
    for (int k = 0; k < TAPS; k++)
      sum = sisy_int26_wrap(sum + x[n + k] * h[k]);
    y[n] = sisy_int12_saturate((sum + 256) >> 9);
  }
}
