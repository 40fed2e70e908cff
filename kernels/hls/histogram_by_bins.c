/* The same histogram as comparisons with every bin, 16 of them. */
#include <stdint.h>

#define N 512
#define BINS 16

void histogram_by_bins(const uint8_t pixel[N], int count[BINS])
{
  for (int b = 0; b < BINS; b++)
    count[b] = 0;
  for (int i = 0; i < N; i++)
    for (int b = 0; b < BINS; b++)
      if (pixel[i] >> 4 == b)
        count[b]++;
}
