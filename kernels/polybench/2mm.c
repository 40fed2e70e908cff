/* D := beta D + alpha A B C, as two products: tmp = alpha A B, then D = beta D + tmp C.
 * A is NI x NK, B is NK x NJ, C is NJ x NL, D is NI x NL; tmp is an argument. */

#ifndef NI
#define NI 180
#endif
#ifndef NJ
#define NJ 190
#endif
#ifndef NK
#define NK 210
#endif
#ifndef NL
#define NL 220
#endif

#ifdef DATA_TYPE_IS_DOUBLE
#define DATA_TYPE double
#define SCALAR_VAL(x) x
#else
#define DATA_TYPE float
#define SCALAR_VAL(x) x##f
#endif

void kernel_2mm(DATA_TYPE alpha, DATA_TYPE beta,
                DATA_TYPE tmp[NI][NJ], DATA_TYPE A[NI][NK], DATA_TYPE B[NK][NJ],
                DATA_TYPE C[NJ][NL], DATA_TYPE D[NI][NL])
{
    int i, j, k;

#pragma scop
    for (i = 0; i < NI; i++)
        for (j = 0; j < NJ; j++) {
            tmp[i][j] = SCALAR_VAL(0.0);
            for (k = 0; k < NK; k++)
                tmp[i][j] += alpha * A[i][k] * B[k][j];
        }
    for (i = 0; i < NI; i++)
        for (j = 0; j < NL; j++) {
            D[i][j] *= beta;
            for (k = 0; k < NJ; k++)
                D[i][j] += tmp[i][k] * C[k][j];
        }
#pragma endscop
}
