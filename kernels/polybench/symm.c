/* C := beta C + alpha A B, with A symmetric, M x M, of which only the lower triangle is read, and B and C
 * of M x N. A_ik (k < i) serves twice: for row k of C at once, and for row i through temp2. */

#ifndef M
#define M 200
#endif
#ifndef N
#define N 240
#endif

#ifdef DATA_TYPE_IS_DOUBLE
#define DATA_TYPE double
#define SCALAR_VAL(x) x
#else
#define DATA_TYPE float
#define SCALAR_VAL(x) x##f
#endif

void kernel_symm(DATA_TYPE alpha, DATA_TYPE beta,
                 DATA_TYPE C[M][N], DATA_TYPE A[M][M], DATA_TYPE B[M][N])
{
    int i, j, k;
    DATA_TYPE temp2;

#pragma scop
    for (i = 0; i < M; i++)
        for (j = 0; j < N; j++) {
            temp2 = SCALAR_VAL(0.0);
            for (k = 0; k < i; k++) {
                C[k][j] += alpha * B[i][j] * A[i][k];
                temp2 += B[k][j] * A[i][k];
            }
            C[i][j] = beta * C[i][j] + alpha * B[i][j] * A[i][i] + alpha * temp2;
        }
#pragma endscop
}
