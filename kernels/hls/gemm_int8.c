/* Product of 8-bit matrices with 32-bit sums. */
#include <stdint.h>

#define M 32
#define N 32
#define K 64

void gemm_int8(const int8_t A[M][K], const int8_t B[K][N], int32_t C[M][N])
{
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      int32_t acc = 0;
      for (int k = 0; k < K; k++)
        acc += A[i][k] * B[k][j];
      C[i][j] = acc;
    }
}
