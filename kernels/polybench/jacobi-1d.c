/* Jacobi relaxation on a line of N points with fixed ends: each point becomes the mean of itself
 * and its two neighbours (1/3 is written 0.33333). A step goes from A to B and back to A. */

#ifndef TSTEPS
#define TSTEPS 100
#endif
#ifndef N
#define N 400
#endif

#ifdef DATA_TYPE_IS_DOUBLE
#define DATA_TYPE double
#define SCALAR_VAL(x) x
#else
#define DATA_TYPE float
#define SCALAR_VAL(x) x##f
#endif

void kernel_jacobi_1d(DATA_TYPE A[N], DATA_TYPE B[N])
{
#pragma scop
    for (int t = 0; t < TSTEPS; t++) {
        for (int i = 1; i < N - 1; i++)
            B[i] = SCALAR_VAL(0.33333) * (A[i - 1] + A[i] + A[i + 1]);
        for (int i = 1; i < N - 1; i++)
            A[i] = SCALAR_VAL(0.33333) * (B[i - 1] + B[i] + B[i + 1]);
    }
#pragma endscop
}
