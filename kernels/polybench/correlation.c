/* Correlation matrix of the M columns of data (N observations): columns are centred on their mean and
 * divided by sqrt(N) times their standard deviation, then corr_ij = sum_k data_ki data_kj.
 * A standard deviation of eps or less counts as 1, so that a constant column divides by no zero. */

#include <math.h>

#ifndef M
#define M 240
#endif
#ifndef N
#define N 260
#endif

#ifdef DATA_TYPE_IS_DOUBLE
#define DATA_TYPE double
#define SCALAR_VAL(x) x
#define SQRT_FUN(x) sqrt(x)
#else
#define DATA_TYPE float
#define SCALAR_VAL(x) x##f
#define SQRT_FUN(x) sqrtf(x)
#endif

void kernel_correlation(DATA_TYPE float_n, DATA_TYPE data[N][M], DATA_TYPE corr[M][M],
                        DATA_TYPE mean[M], DATA_TYPE stddev[M])
{
    int i, j, k;
    DATA_TYPE eps = SCALAR_VAL(0.1);

#pragma scop
    for (j = 0; j < M; j++) {
        mean[j] = SCALAR_VAL(0.0);
        for (i = 0; i < N; i++)
            mean[j] += data[i][j];
        mean[j] /= float_n;
    }
    for (j = 0; j < M; j++) {
        stddev[j] = SCALAR_VAL(0.0);
        for (i = 0; i < N; i++)
            stddev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
        stddev[j] /= float_n;
        stddev[j] = SQRT_FUN(stddev[j]);
        stddev[j] = stddev[j] <= eps ? SCALAR_VAL(1.0) : stddev[j];
    }
    for (i = 0; i < N; i++)
        for (j = 0; j < M; j++) {
            data[i][j] -= mean[j];
            data[i][j] /= SQRT_FUN(float_n) * stddev[j];
        }
    for (i = 0; i < M - 1; i++) {
        corr[i][i] = SCALAR_VAL(1.0);
        for (j = i + 1; j < M; j++) {
            corr[i][j] = SCALAR_VAL(0.0);
            for (k = 0; k < N; k++)
                corr[i][j] += data[k][i] * data[k][j];
            corr[j][i] = corr[i][j];
        }
    }
    corr[M - 1][M - 1] = SCALAR_VAL(1.0);
#pragma endscop
}
