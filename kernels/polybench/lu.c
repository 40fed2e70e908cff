/* A = L U without pivoting, in place: L has a unit diagonal and lies below it, U on and above it.
 * L_ij = (A_ij - sum_(k<j) L_ik U_kj) / U_jj for j < i, U_ij = A_ij - sum_(k<i) L_ik U_kj for j >= i. */

#ifndef N
#define N 400
#endif

#ifdef DATA_TYPE_IS_DOUBLE
#define DATA_TYPE double
#else
#define DATA_TYPE float
#endif

void kernel_lu(DATA_TYPE A[N][N])
{
#pragma scop
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                A[i][j] -= A[i][k] * A[k][j];
            A[i][j] /= A[j][j];
        }
        for (int j = i; j < N; j++)
            for (int k = 0; k < i; k++)
                A[i][j] -= A[i][k] * A[k][j];
    }
#pragma endscop
}
