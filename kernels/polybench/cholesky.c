/* A = L L^T for a symmetric positive definite A; L overwrites the lower triangle:
 * L_ij = (A_ij - sum_(k<j) L_ik L_jk) / L_jj below the diagonal,
 * L_ii = sqrt(A_ii - sum_(k<i) L_ik^2) on it. */

#include <math.h>

#ifndef N
#define N 400
#endif

#ifdef DATA_TYPE_IS_DOUBLE
#define DATA_TYPE double
#define SQRT_FUN(x) sqrt(x)
#else
#define DATA_TYPE float
#define SQRT_FUN(x) sqrtf(x)
#endif

void kernel_cholesky(DATA_TYPE A[N][N])
{
#pragma scop
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                A[i][j] -= A[i][k] * A[j][k];
            A[i][j] /= A[j][j];
        }
        for (int k = 0; k < i; k++)
            A[i][i] -= A[i][k] * A[i][k];
        A[i][i] = SQRT_FUN(A[i][i]);
    }
#pragma endscop
}
