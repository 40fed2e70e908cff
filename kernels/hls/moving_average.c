/* Average of the last 16 samples by a running sum. */
#include <stdint.h>

#define N 512
#define LENGTH 16

void moving_average(const int16_t x[N], int16_t y[N])
{
  int32_t sum = 0;
  for (int n = 0; n < N; n++) {
    sum += x[n];
    if (n >= LENGTH)
      sum -= x[n - LENGTH];
    y[n] = sum / LENGTH;
  }
}
