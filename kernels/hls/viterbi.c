/* Viterbi decoder of a convolutional code with four states: path metrics forwards, the path backwards by selects. */
#include <stdint.h>

#define N 64

static const uint8_t expected[4][2] = {{0, 3}, {3, 0}, {2, 1}, {1, 2}};

static int distance(int a, int b)
{
  int d = a ^ b;
  return (d & 1) + (d >> 1 & 1);
}

void viterbi(const uint8_t symbol[N], uint8_t survivor[N][4], int metric[4])
{
  int old[4], now[4];
  for (int s = 0; s < 4; s++)
    old[s] = s == 0 ? 0 : 1000;
  for (int n = 0; n < N; n++) {
    for (int bit = 0; bit < 2; bit++)
      for (int low = 0; low < 2; low++) {
        int even = old[2 * low] + distance(symbol[n] & 3, expected[2 * low][bit]);
        int odd = old[2 * low + 1] + distance(symbol[n] & 3, expected[2 * low + 1][bit]);
        if (odd < even) {
          now[2 * bit + low] = odd;
          survivor[n][2 * bit + low] = 1;
        } else {
          now[2 * bit + low] = even;
          survivor[n][2 * bit + low] = 0;
        }
      }
    for (int s = 0; s < 4; s++)
      old[s] = now[s];
  }
  for (int s = 0; s < 4; s++)
    metric[s] = old[s];
}
