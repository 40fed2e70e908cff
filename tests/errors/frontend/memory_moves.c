#include <string.h>

void f(float A[4][5], double B[20], float C[4][6], float v[20], int n)
{
  memcpy(v, A[0], 7);
  memset(v, 0, -4);
  memcpy(v, B, sizeof(float) * 20);
  memcpy(A, C, 20 * sizeof(float));
  memcpy(A, C, 20 * sizeof(float), 1);
  memset(v, 1, 20 * sizeof(float));
  memcpy(v, A[1], n * sizeof(float));
  memmove(v, v + 1, 4 * sizeof(float));
  memcpy(v, A[1], 6 * sizeof(float));
}
