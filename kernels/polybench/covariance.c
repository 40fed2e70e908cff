/* Sample covariance of the M columns of data (N observations): columns are centred on their mean,
 * then cov_ij = sum_k data_ki data_kj / (N - 1), computed for i <= j and mirrored. */

#ifndef M
#define M 240
#endif
#ifndef N
#define N 260
#endif

#ifdef DATA_TYPE_IS_DOUBLE
#define DATA_TYPE double
#define SCALAR_VAL(x) x
#else
#define DATA_TYPE float
#define SCALAR_VAL(x) x##f
#endif

void kernel_covariance(DATA_TYPE float_n, DATA_TYPE data[N][M], DATA_TYPE cov[M][M], DATA_TYPE mean[M])
{
#pragma scop
    for (int j = 0; j < M; j++) {
        mean[j] = SCALAR_VAL(0.0);
        for (int i = 0; i < N; i++)
            mean[j] += data[i][j];
        mean[j] /= float_n;
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            data[i][j] -= mean[j];
    for (int i = 0; i < M; i++)
        for (int j = i; j < M; j++) {
            cov[i][j] = SCALAR_VAL(0.0);
            for (int k = 0; k < N; k++)
                cov[i][j] += data[k][i] * data[k][j];
            cov[i][j] /= (float_n - SCALAR_VAL(1.0));
            cov[j][i] = cov[i][j];
        }
#pragma endscop
}
