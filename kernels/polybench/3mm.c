/* G := (A B) (C D), through E = A B and F = C D, which are arguments.
 * A is NI x NK, B is NK x NJ, C is NJ x NM, D is NM x NL, G is NI x NL. */

#ifndef NI
#define NI 180
#endif
#ifndef NJ
#define NJ 190
#endif
#ifndef NK
#define NK 200
#endif
#ifndef NL
#define NL 210
#endif
#ifndef NM
#define NM 220
#endif

#ifdef DATA_TYPE_IS_DOUBLE
#define DATA_TYPE double
#define SCALAR_VAL(x) x
#else
#define DATA_TYPE float
#define SCALAR_VAL(x) x##f
#endif

void kernel_3mm(DATA_TYPE E[NI][NJ], DATA_TYPE A[NI][NK], DATA_TYPE B[NK][NJ],
                DATA_TYPE F[NJ][NL], DATA_TYPE C[NJ][NM], DATA_TYPE D[NM][NL],
                DATA_TYPE G[NI][NL])
{
#pragma scop
    for (int i = 0; i < NI; i++)
        for (int j = 0; j < NJ; j++) {
            E[i][j] = SCALAR_VAL(0.0);
            for (int k = 0; k < NK; k++)
                E[i][j] += A[i][k] * B[k][j];
        }
    for (int i = 0; i < NJ; i++)
        for (int j = 0; j < NL; j++) {
            F[i][j] = SCALAR_VAL(0.0);
            for (int k = 0; k < NM; k++)
                F[i][j] += C[i][k] * D[k][j];
        }
    for (int i = 0; i < NI; i++)
        for (int j = 0; j < NL; j++) {
            G[i][j] = SCALAR_VAL(0.0);
            for (int k = 0; k < NJ; k++)
                G[i][j] += E[i][k] * F[k][j];
        }
#pragma endscop
}
