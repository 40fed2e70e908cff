/* The first place where the energy of a window of samples exceeds a limit, found by returning out of two loops. */
#include <stdint.h>

#define WINDOWS 32
#define LENGTH 16

int first_event(const int16_t x[WINDOWS][LENGTH], int32_t limit)
{
  for (int w = 0; w < WINDOWS; w++) {
    int32_t energy = 0;
    for (int i = 0; i < LENGTH; i++) {
      energy += (x[w][i] >> 4) * (x[w][i] >> 4);
      if (energy > limit)
        return LENGTH * w + i;
    }
  }
  return -1;
}
