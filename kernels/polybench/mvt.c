/* x1 := x1 + A y_1 and x2 := x2 + A^T y_2: two independent products with one N x N matrix,
 * read by rows in the first and by columns in the second. */

#ifndef N
#define N 400
#endif

#ifdef DATA_TYPE_IS_DOUBLE
#define DATA_TYPE double
#else
#define DATA_TYPE float
#endif

void kernel_mvt(DATA_TYPE x1[N], DATA_TYPE x2[N], DATA_TYPE y_1[N], DATA_TYPE y_2[N], DATA_TYPE A[N][N])
{
#pragma scop
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            x1[i] = x1[i] + A[i][j] * y_1[j];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            x2[i] = x2[i] + A[j][i] * y_2[j];
#pragma endscop
}
