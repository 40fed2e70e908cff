/* FIR filter on 16-bit samples with a shift register of the last TAPS samples, as a stream would deliver them. */
#include <stdint.h>

#define N 512
#define TAPS 16

static const int16_t coefficient[TAPS] = {-12, -33, -9, 120, 411, 812, 1204, 1402, 1402, 1204, 812, 411, 120, -9, -33, -12};

void fir(const int16_t x[N], int16_t y[N])
{
  int16_t window[TAPS] = {0};
  for (int n = 0; n < N; n++) {
    int32_t sum = 0;
    for (int k = TAPS - 1; k > 0; k--)
      window[k] = window[k - 1];
    window[0] = x[n];
    for (int k = 0; k < TAPS; k++)
      sum += window[k] * coefficient[k];
    y[n] = sum >> 13;
  }
}
