/* The nearest of N reference points for each query, by city-block distance of bytes. */
#include <stdint.h>
#include <stdlib.h>

#define QUERIES 16
#define N 64
#define D 8

void knn(const uint8_t query[QUERIES][D], const uint8_t point[N][D], int nearest[QUERIES])
{
  for (int q = 0; q < QUERIES; q++) {
    int best = 1 << 30, at = 0;
    for (int n = 0; n < N; n++) {
      int d = 0;
      for (int k = 0; k < D; k++)
        d += abs(query[q][k] - point[n][k]);
      if (d < best) {
        best = d;
        at = n;
      }
    }
    nearest[q] = at;
  }
}
