/* y := alpha A x + beta B x, with A and B of N x N. Both dot products of row i are summed in one loop,
 * into tmp_i and y_i, and combined after it. */

#ifndef N
#define N 250
#endif

#ifdef DATA_TYPE_IS_DOUBLE
#define DATA_TYPE double
#define SCALAR_VAL(x) x
#else
#define DATA_TYPE float
#define SCALAR_VAL(x) x##f
#endif

void kernel_gesummv(DATA_TYPE alpha, DATA_TYPE beta, DATA_TYPE A[N][N], DATA_TYPE B[N][N],
                    DATA_TYPE tmp[N], DATA_TYPE x[N], DATA_TYPE y[N])
{
    int i, j;

#pragma scop
    for (i = 0; i < N; i++) {
        tmp[i] = SCALAR_VAL(0.0);
        y[i] = SCALAR_VAL(0.0);
        for (j = 0; j < N; j++) {
            tmp[i] = A[i][j] * x[j] + tmp[i];
            y[i] = B[i][j] * x[j] + y[i];
        }
        y[i] = alpha * tmp[i] + beta * y[i];
    }
#pragma endscop
}
