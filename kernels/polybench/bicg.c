/* The two products of a biconjugate-gradient step: s := A^T r and q := A p, with A of N x M,
 * both in one sweep over A. */

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

void kernel_bicg(DATA_TYPE A[N][M], DATA_TYPE s[M], DATA_TYPE q[N], DATA_TYPE p[M], DATA_TYPE r[N])
{
    int i, j;

#pragma scop
    for (i = 0; i < M; i++)
        s[i] = SCALAR_VAL(0.0);
    for (i = 0; i < N; i++) {
        q[i] = SCALAR_VAL(0.0);
        for (j = 0; j < M; j++) {
            s[j] = s[j] + r[i] * A[i][j];
            q[i] = q[i] + A[i][j] * p[j];
        }
    }
#pragma endscop
}
