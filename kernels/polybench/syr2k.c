/* C := beta C + alpha (A B^T + B A^T) on the lower triangle of C, which is N x N; A and B are N x M. */

#ifndef M
#define M 200
#endif
#ifndef N
#define N 240
#endif

#ifdef DATA_TYPE_IS_DOUBLE
#define DATA_TYPE double
#else
#define DATA_TYPE float
#endif

void kernel_syr2k(DATA_TYPE alpha, DATA_TYPE beta,
                  DATA_TYPE C[N][N], DATA_TYPE A[N][M], DATA_TYPE B[N][M])
{
#pragma scop
    for (int i = 0; i < N; i++) {
        for (int j = 0; j <= i; j++)
            C[i][j] *= beta;
        for (int k = 0; k < M; k++)
            for (int j = 0; j <= i; j++)
                C[i][j] += A[j][k] * alpha * B[i][k] + B[j][k] * alpha * A[i][k];
    }
#pragma endscop
}
