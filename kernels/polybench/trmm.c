/* B := alpha A^T B, in place, with A of M x M lower triangular with a unit diagonal (which is not read)
 * and B of M x N. Rows below row i still hold their old values when row i sums them. */

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

void kernel_trmm(DATA_TYPE alpha, DATA_TYPE A[M][M], DATA_TYPE B[M][N])
{
#pragma scop
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            for (int k = i + 1; k < M; k++)
                B[i][j] += A[k][i] * B[k][j];
            B[i][j] = alpha * B[i][j];
        }
#pragma endscop
}
