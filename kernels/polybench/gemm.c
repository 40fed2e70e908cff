/* C := beta C + alpha A B, with A of NI x NK, B of NK x NJ and C of NI x NJ.
 * Row i of C is scaled first and then takes one rank-1 contribution per k. */

#ifndef NI
#define NI 200
#endif
#ifndef NJ
#define NJ 220
#endif
#ifndef NK
#define NK 240
#endif

#ifdef DATA_TYPE_IS_DOUBLE
#define DATA_TYPE double
#else
#define DATA_TYPE float
#endif

void kernel_gemm(DATA_TYPE alpha, DATA_TYPE beta,
                 DATA_TYPE C[NI][NJ], DATA_TYPE A[NI][NK], DATA_TYPE B[NK][NJ])
{
    int i, j, k;

#pragma scop
    for (i = 0; i < NI; i++) {
        for (j = 0; j < NJ; j++)
            C[i][j] *= beta;
        for (k = 0; k < NK; k++)
            for (j = 0; j < NJ; j++)
                C[i][j] += alpha * A[i][k] * B[k][j];
    }
#pragma endscop
}
