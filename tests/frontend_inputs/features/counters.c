/* Loops that step several counters, and sizes of arrays. */
#include <stdint.h>

static const int16_t weights[] = {3, -1, 4, 1, -5, 9, 2, -6};

void counters(const float x[100], float y[100], float z[100], int32_t w[64])
{
  int i, j;
  float kept[20][5];
  for (i = 0, j = 99; i < 100; i++, j--)
    y[i] = x[j];
  for (j = 99, i = 0; j >= 0; j--, i += 1)
    z[j] = x[i] + j;
  for (int a = 49, b = 1, c = 98; a >= 0; --a, b += 2, c -= 2) {
    if (x[a] > 0)
      continue;
    y[b] += x[c];
  }
  for (int lo = 0, hi = 99; lo < hi; lo++, hi--) {
    float t = z[lo];
    z[lo] = z[hi];
    z[hi] = t;
  }
  for (i = 0; i < sizeof kept / sizeof kept[0]; i++)
    for (j = 0; j < sizeof(kept[0]) / sizeof(kept[0][0]); j++)
      kept[i][j] = x[5 * i + j];
  for (i = 0; i < 20; i++)
    for (j = 0; j < 5; j++)
      y[5 * i + j] += kept[i][j];
  for (i = 0; i < 64; i++)
    w[i] += weights[(uint32_t)w[i] % (sizeof(weights) / sizeof(weights[0]))];
}
