/* Softmax of each of L rows of D values: y_ij = exp(x_ij - m_i) / sum_j exp(x_ij - m_i), where m_i,
 * the largest value of the row, keeps the exponentials from overflowing. */

#include <math.h>

#ifndef L
#define L 1536
#endif
#ifndef D
#define D 128
#endif

#ifdef DATA_TYPE_IS_DOUBLE
#define DATA_TYPE double
#define SCALAR_VAL(x) x
#define EXP_FUN(x) exp(x)
#define FMAX_FUN(x, y) fmax(x, y)
#else
#define DATA_TYPE float
#define SCALAR_VAL(x) x##f
#define EXP_FUN(x) expf(x)
#define FMAX_FUN(x, y) fmaxf(x, y)
#endif

void kernel_softmax(DATA_TYPE x[L][D], DATA_TYPE y[L][D])
{
    DATA_TYPE top, total;

#pragma scop
    for (int i = 0; i < L; i++) {
        top = x[i][0];
        for (int j = 1; j < D; j++)
            top = FMAX_FUN(top, x[i][j]);
        total = SCALAR_VAL(0.0);
        for (int j = 0; j < D; j++) {
            y[i][j] = EXP_FUN(x[i][j] - top);
            total += y[i][j];
        }
        for (int j = 0; j < D; j++)
            y[i][j] = y[i][j] / total;
    }
#pragma endscop
}
