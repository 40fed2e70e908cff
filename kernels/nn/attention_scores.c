/* Scaled attention scores of NH heads on a sequence of L tokens:
 * score_hij = scale times the dot product of query_hi and key_hj over the D features of a head. */

#ifndef NH
#define NH 12
#endif
#ifndef L
#define L 128
#endif
#ifndef D
#define D 64
#endif

#ifdef DATA_TYPE_IS_DOUBLE
#define DATA_TYPE double
#define SCALAR_VAL(x) x
#else
#define DATA_TYPE float
#define SCALAR_VAL(x) x##f
#endif

void kernel_attention_scores(DATA_TYPE scale, DATA_TYPE query[NH][L][D], DATA_TYPE key[NH][L][D],
                             DATA_TYPE score[NH][L][L])
{
#pragma scop
    for (int h = 0; h < NH; h++)
        for (int i = 0; i < L; i++)
            for (int j = 0; j < L; j++) {
                score[h][i][j] = SCALAR_VAL(0.0);
                for (int d = 0; d < D; d++)
                    score[h][i][j] += query[h][i][d] * key[h][j][d];
                score[h][i][j] *= scale;
            }
#pragma endscop
}
