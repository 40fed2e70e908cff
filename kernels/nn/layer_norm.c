/* Layer normalisation of L rows of D features: y_ij = gamma_j (x_ij - mean_i) / sqrt(var_i + eps) + beta_j,
 * mean_i and var_i being the mean and the (biased) variance of row i. */

#include <math.h>

#ifndef L
#define L 128
#endif
#ifndef D
#define D 768
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

void kernel_layer_norm(DATA_TYPE eps, DATA_TYPE x[L][D], DATA_TYPE gamma[D], DATA_TYPE beta[D],
                       DATA_TYPE y[L][D])
{
    int i, j;
    DATA_TYPE mean, var, scale;

#pragma scop
    for (i = 0; i < L; i++) {
        mean = SCALAR_VAL(0.0);
        for (j = 0; j < D; j++)
            mean += x[i][j];
        mean /= (DATA_TYPE)D;
        var = SCALAR_VAL(0.0);
        for (j = 0; j < D; j++)
            var += (x[i][j] - mean) * (x[i][j] - mean);
        var /= (DATA_TYPE)D;
        scale = SCALAR_VAL(1.0) / SQRT_FUN(var + eps);
        for (j = 0; j < D; j++)
            y[i][j] = gamma[j] * ((x[i][j] - mean) * scale) + beta[j];
    }
#pragma endscop
}
