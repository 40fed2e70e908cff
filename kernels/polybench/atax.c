/* y := A^T (A x), with A of M x N: row i gives tmp_i = A_i . x, and y gathers tmp_i A_i
 * while the row is at hand. */

#ifndef M
#define M 390
#endif
#ifndef N
#define N 410
#endif

#ifdef DATA_TYPE_IS_DOUBLE
#define DATA_TYPE double
#define SCALAR_VAL(x) x
#else
#define DATA_TYPE float
#define SCALAR_VAL(x) x##f
#endif

void kernel_atax(DATA_TYPE A[M][N], DATA_TYPE x[N], DATA_TYPE y[N], DATA_TYPE tmp[M])
{
#pragma scop
    for (int i = 0; i < N; i++)
        y[i] = SCALAR_VAL(0.0);
    for (int i = 0; i < M; i++) {
        tmp[i] = SCALAR_VAL(0.0);
        for (int j = 0; j < N; j++)
            tmp[i] = tmp[i] + A[i][j] * x[j];
        for (int j = 0; j < N; j++)
            y[j] = y[j] + A[i][j] * tmp[i];
    }
#pragma endscop
}
