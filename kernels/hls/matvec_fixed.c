/* Matrix times vector in fixed point, 16 bits with 12 behind the point, rounded and saturated. */
#include <stdint.h>

#define ROWS 64
#define COLS 64

static int16_t saturate(int64_t v) { return v > 32767 ? 32767 : v < -32768 ? -32768 : v; }

void matvec_fixed(const int16_t A[ROWS][COLS], const int16_t x[COLS], int16_t y[ROWS])
{
  for (int i = 0; i < ROWS; i++) {
    int64_t sum = 1 << 11;
    for (int j = 0; j < COLS; j++)
      sum += (int32_t)A[i][j] * x[j];
    y[i] = saturate(sum >> 12);
  }
}
