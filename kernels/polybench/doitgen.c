/* A_rqp := sum_s A_rqs C4_sp: every fibre A_rq of the NR x NQ x NP tensor is multiplied by the
 * NP x NP matrix C4, in place, through the row buffer sum. */

#ifndef NQ
#define NQ 40
#endif
#ifndef NR
#define NR 50
#endif
#ifndef NP
#define NP 60
#endif

#ifdef DATA_TYPE_IS_DOUBLE
#define DATA_TYPE double
#define SCALAR_VAL(x) x
#else
#define DATA_TYPE float
#define SCALAR_VAL(x) x##f
#endif

void kernel_doitgen(DATA_TYPE A[NR][NQ][NP], DATA_TYPE C4[NP][NP], DATA_TYPE sum[NP])
{
#pragma scop
    for (int r = 0; r < NR; r++)
        for (int q = 0; q < NQ; q++) {
            for (int p = 0; p < NP; p++) {
                sum[p] = SCALAR_VAL(0.0);
                for (int s = 0; s < NP; s++)
                    sum[p] += A[r][q][s] * C4[s][p];
            }
            for (int p = 0; p < NP; p++)
                A[r][q][p] = sum[p];
        }
#pragma endscop
}
