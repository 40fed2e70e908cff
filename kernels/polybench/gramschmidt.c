/* A = Q R by modified Gram-Schmidt, with A of M x N: R_kk is the norm of what is left of column k,
 * Q_k that column made a unit vector, and R_kj = Q_k . A_j is taken out of every later column j.
 * A is overwritten. */

#include <math.h>

#ifndef M
#define M 200
#endif
#ifndef N
#define N 240
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

void kernel_gramschmidt(DATA_TYPE A[M][N], DATA_TYPE R[N][N], DATA_TYPE Q[M][N])
{
    DATA_TYPE nrm;

#pragma scop
    for (int k = 0; k < N; k++) {
        nrm = SCALAR_VAL(0.0);
        for (int i = 0; i < M; i++)
            nrm += A[i][k] * A[i][k];
        R[k][k] = SQRT_FUN(nrm);
        for (int i = 0; i < M; i++)
            Q[i][k] = A[i][k] / R[k][k];
        for (int j = k + 1; j < N; j++) {
            R[k][j] = SCALAR_VAL(0.0);
            for (int i = 0; i < M; i++)
                R[k][j] += Q[i][k] * A[i][j];
            for (int i = 0; i < M; i++)
                A[i][j] = A[i][j] - Q[i][k] * R[k][j];
        }
    }
#pragma endscop
}
