/* Histogram of a grey image: where an element is written depends on data. */
#include <stdint.h>

#define N 1024

void histogram(const uint8_t pixel[N], int count[256])
{
  for (int i = 0; i < 256; i++)
    count[i] = 0;
  for (int i = 0; i < N; i++)
    count[pixel[i]]++;
}
