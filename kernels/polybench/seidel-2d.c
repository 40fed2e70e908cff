/* Gauss-Seidel relaxation on an N x N grid with fixed boundary: each point becomes the mean of the nine
 * points round it, in place, so that the upper and left neighbours are already new. */

#ifndef TSTEPS
#define TSTEPS 100
#endif
#ifndef N
#define N 400
#endif

#ifdef DATA_TYPE_IS_DOUBLE
#define DATA_TYPE double
#define SCALAR_VAL(x) x
#else
#define DATA_TYPE float
#define SCALAR_VAL(x) x##f
#endif

void kernel_seidel_2d(DATA_TYPE A[N][N])
{
#pragma scop
    for (int t = 0; t <= TSTEPS - 1; t++)
        for (int i = 1; i <= N - 2; i++)
            for (int j = 1; j <= N - 2; j++)
                A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1]
                           + A[i][j - 1] + A[i][j] + A[i][j + 1]
                           + A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1])
                          / SCALAR_VAL(9.0);
#pragma endscop
}
