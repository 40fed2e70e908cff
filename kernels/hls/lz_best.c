/* The longest of 8 candidate matches of a dictionary coder at each place, with flags, labels and a structure as a result. */
#include <stdbool.h>
#include <stdint.h>

#define PLACES 64
#define CANDIDATES 8
#define LENGTH 6

typedef struct {
  uint8_t len;
  uint16_t offset;
} match_t;

void lz_best(const uint8_t present[PLACES][LENGTH], const uint8_t window[PLACES][CANDIDATES][LENGTH],
             const uint16_t where[PLACES][CANDIDATES], match_t out[PLACES])
{
places:
  for (int i = 0; i < PLACES; ++i) {
    match_t best = {0, 0};
  candidates:
    for (int c = 0; c < CANDIDATES; ++c) {
      uint8_t len = 0;
      bool done = false;
      for (int m = 0; m < LENGTH; ++m) {
        if (present[i][m] == window[i][c][m] && !done)
          len++;
        else
          done = true;
      }
      if (len >= 3 && len > best.len && where[i][c] < 32768) {
        best.len = len;
        best.offset = where[i][c];
      }
    }
    out[i] = best;
  }
}
