/* One convolution layer: output_i += sum over input channels j and taps (p, q) of
 * weight_ijpq times input_j shifted by (p, q). The input carries its own border of P - 1 and Q - 1. */

#ifndef I
#define I 256
#endif
#ifndef J
#define J 256
#endif
#ifndef H
#define H 224
#endif
#ifndef W
#define W 224
#endif
#ifndef P
#define P 5
#endif
#ifndef Q
#define Q 5
#endif

#ifdef DATA_TYPE_IS_DOUBLE
#define DATA_TYPE double
#else
#define DATA_TYPE float
#endif

void kernel_cnn(DATA_TYPE input[J][H + P - 1][W + Q - 1], DATA_TYPE weight[I][J][P][Q],
                DATA_TYPE output[I][H][W])
{
#pragma scop
    for (int i = 0; i < I; i++)
        for (int j = 0; j < J; j++)
            for (int p = 0; p < P; p++)
                for (int q = 0; q < Q; q++)
                    for (int h = 0; h < H; h++)
                        for (int w = 0; w < W; w++)
                            output[i][h][w] += weight[i][j][p][q] * input[j][h + p][w + q];
#pragma endscop
}
