/* Convolution with stride 2 in both directions: output_oyx = sum_cpq weight_ocpq input_c(2y+p)(2x+q),
 * from CI to CO channels. The input carries its own border. */

#ifndef CO
#define CO 64
#endif
#ifndef CI
#define CI 3
#endif
#ifndef H
#define H 112
#endif
#ifndef W
#define W 112
#endif
#ifndef P
#define P 7
#endif
#ifndef Q
#define Q 7
#endif

#ifdef DATA_TYPE_IS_DOUBLE
#define DATA_TYPE double
#define SCALAR_VAL(x) x
#else
#define DATA_TYPE float
#define SCALAR_VAL(x) x##f
#endif

void kernel_strided_conv(DATA_TYPE input[CI][2 * H + P - 2][2 * W + Q - 2], DATA_TYPE weight[CO][CI][P][Q],
                         DATA_TYPE output[CO][H][W])
{
    int o, c, y, x, p, q;

#pragma scop
    for (o = 0; o < CO; o++)
        for (y = 0; y < H; y++)
            for (x = 0; x < W; x++) {
                output[o][y][x] = SCALAR_VAL(0.0);
                for (c = 0; c < CI; c++)
                    for (p = 0; p < P; p++)
                        for (q = 0; q < Q; q++)
                            output[o][y][x] += weight[o][c][p][q] * input[c][2 * y + p][2 * x + q];
            }
#pragma endscop
}
