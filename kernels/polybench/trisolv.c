/* Solves L x = b, L lower triangular, by forward substitution:
 * x_i = (b_i - sum_(j<i) L_ij x_j) / L_ii. */

#ifndef N
#define N 400
#endif

#ifdef DATA_TYPE_IS_DOUBLE
#define DATA_TYPE double
#else
#define DATA_TYPE float
#endif

void kernel_trisolv(DATA_TYPE L[N][N], DATA_TYPE x[N], DATA_TYPE b[N])
{
#pragma scop
    for (int i = 0; i < N; i++) {
        x[i] = b[i];
        for (int j = 0; j < i; j++)
            x[i] -= L[i][j] * x[j];
        x[i] = x[i] / L[i][i];
    }
#pragma endscop
}
