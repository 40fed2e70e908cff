/* Unsigned iterators that never wrap, and unsigned data that does. */

#include <stddef.h>
#include <stdint.h>

#define N 7u

void unsigned_(uint32_t A[N], uint64_t B[N], float C[N], uint16_t D[N])
{
  for (size_t i = 1; i < N; i++) {
    A[i] = A[i] - A[i - 1] + i;
    B[i] += (B[i - 1] << 40) - i * 3;
  }
  for (unsigned j = N - 1; j > 0; j--) {
    C[j] = C[j - 1] + j / 2 - 1u;
    D[j] = D[j] * D[j - 1];
    A[j] += j - 5 + (0u - 3) * j;
  }
  for (uint8_t k = 0; k < 5; k++)
    if (k + 1u < 4)
      D[k] -= k - 5;
}
