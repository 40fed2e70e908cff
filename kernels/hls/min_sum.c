/* Check nodes of an LDPC decoder by min-sum: the two least magnitudes of a row and its sign, scaled by a table that arrives. */
#include <stdint.h>
#include <stdlib.h>

#define ROWS 64
#define DEGREE 6

void min_sum(const int8_t llr[ROWS][DEGREE], const uint8_t scale[128], int8_t message[ROWS][DEGREE])
{
  for (int r = 0; r < ROWS; r++) {
    uint8_t least = 127, second = 127;
    int at = -1;
    unsigned sign = 0;
    for (int d = 0; d < DEGREE; d++) {
      int a = abs(llr[r][d]);
      if (a > 127) a = 127;
      sign ^= llr[r][d] < 0;
      if (a < least) {
        second = least;
        least = a;
        at = d;
      } else if (a < second)
        second = a;
    }
    for (int d = 0; d < DEGREE; d++) {
      int m = d == at ? second : least;
      m = scale[m & 127] >> 1;
      message[r][d] = (int8_t)((sign ^ (llr[r][d] < 0)) ? -m : m);
    }
  }
}
