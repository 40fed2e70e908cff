/* 1,024 Cholesky factorisations of 8 x 8. */

#include <math.h>
#define B 1024
#define N 8
void kernel_batchchol(float A[B][N][N]) {
  for (int b = 0; b < B; b++)
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < i; j++) {
        for (int k = 0; k < j; k++) A[b][i][j] -= A[b][i][k] * A[b][j][k];
        A[b][i][j] /= A[b][j][j];
      }
      for (int k = 0; k < i; k++) A[b][i][i] -= A[b][i][k] * A[b][i][k];
      A[b][i][i] = sqrtf(A[b][i][i]);
    }
}
