/* Convolution with bias, ReLU and 2 x 2 max pooling: conv_o = max(0, bias_o + sum_c weight_oc * input_c)
 * at 2H x 2W points, then output_o takes the largest of every 2 x 2 block.
 * The full-size feature maps conv are an argument. */

#include <math.h>

#ifndef CO
#define CO 64
#endif
#ifndef CI
#define CI 64
#endif
#ifndef H
#define H 56
#endif
#ifndef W
#define W 56
#endif
#ifndef P
#define P 3
#endif
#ifndef Q
#define Q 3
#endif

#ifdef DATA_TYPE_IS_DOUBLE
#define DATA_TYPE double
#define SCALAR_VAL(x) x
#define FMAX_FUN(x, y) fmax(x, y)
#else
#define DATA_TYPE float
#define SCALAR_VAL(x) x##f
#define FMAX_FUN(x, y) fmaxf(x, y)
#endif

void kernel_conv_relu_pool(DATA_TYPE input[CI][2 * H + P - 1][2 * W + Q - 1], DATA_TYPE weight[CO][CI][P][Q],
                           DATA_TYPE bias[CO], DATA_TYPE conv[CO][2 * H][2 * W],
                           DATA_TYPE output[CO][H][W])
{
    int o, c, y, x, p, q;

#pragma scop
    for (o = 0; o < CO; o++)
        for (y = 0; y < 2 * H; y++)
            for (x = 0; x < 2 * W; x++) {
                conv[o][y][x] = bias[o];
                for (c = 0; c < CI; c++)
                    for (p = 0; p < P; p++)
                        for (q = 0; q < Q; q++)
                            conv[o][y][x] += weight[o][c][p][q] * input[c][y + p][x + q];
                conv[o][y][x] = conv[o][y][x] > SCALAR_VAL(0.0) ? conv[o][y][x] : SCALAR_VAL(0.0);
            }
    for (o = 0; o < CO; o++)
        for (y = 0; y < H; y++)
            for (x = 0; x < W; x++) {
                output[o][y][x] = conv[o][2 * y][2 * x];
                for (p = 0; p < 2; p++)
                    for (q = 0; q < 2; q++)
                        output[o][y][x] = FMAX_FUN(output[o][y][x], conv[o][2 * y + p][2 * x + q]);
            }
#pragma endscop
}
