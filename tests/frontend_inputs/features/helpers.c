/* Small functions that return an expression are written out, in data and in bounds. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define N 10
typedef float row[N];
typedef row matrix[N];

static inline float square(float x) { return x * x; }
static double blend(float a, double b, int w) { return a * w + b * (1 - w); }
static int least(int a, int b) { return a < b ? a : b; }
static int most(int a, int b) { return a > b ? a : b; }
static int16_t narrow(int x) { return x; }

void helpers(matrix A, row B, uint8_t mask[N], int16_t S[N])
{
  for (int i = 0; i < N; i++) {
    for (int j = most(0, i - 3); j < least(N, 2 * i); j++)
      A[i][j] = square(A[i][j] + blend(B[j], A[j][i], mask[i]));
    B[i] = fmaxf(B[i], sqrtf(fabsf(B[i]))) + floor(B[i]) + pow(2, i) + abs(S[i]);
    S[i] = narrow(S[i] * 3000 + i) + least(S[i], i);
    mask[i] = fmin(mask[i], B[i]);
  }
}
