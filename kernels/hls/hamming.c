/* Hamming distances between a query and N words of 256 bits, bits counted by a table of nibbles. */
#include <stdint.h>

#define N 64
#define WORDS 32

static const uint8_t ones[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

void hamming(const uint8_t query[WORDS], const uint8_t data[N][WORDS], uint16_t distance[N])
{
  for (int i = 0; i < N; i++) {
    int d = 0;
    for (int k = 0; k < WORDS; k++) {
      uint8_t x = query[k] ^ data[i][k];
      d += ones[x & 15] + ones[x >> 4];
    }
    distance[i] = d;
  }
}
