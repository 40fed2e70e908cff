/* A matrix product at one of the shapes found in a BERT encoder: C += A B,
 * with A of NI x NK, B of NK x NJ and C of NI x NJ. */

#ifndef NI
#define NI 100
#endif
#ifndef NJ
#define NJ 768
#endif
#ifndef NK
#define NK 100
#endif

#ifdef DATA_TYPE_IS_DOUBLE
#define DATA_TYPE double
#else
#define DATA_TYPE float
#endif

void kernel_bert_100_768(DATA_TYPE C[NI][NJ], DATA_TYPE A[NI][NK], DATA_TYPE B[NK][NJ])
{
#pragma scop
    for (int i = 0; i < NI; i++)
        for (int j = 0; j < NJ; j++)
            for (int k = 0; k < NK; k++)
                C[i][j] += A[i][k] * B[k][j];
#pragma endscop
}
