/* Transposed convolution with stride 2: every input point spreads its P x Q stamp over the output,
 * output_o(2y+p)(2x+q) += input_cyx weight_copq. Stamps of neighbouring points overlap where P, Q > 2. */

#ifndef CO
#define CO 64
#endif
#ifndef CI
#define CI 128
#endif
#ifndef H
#define H 16
#endif
#ifndef W
#define W 16
#endif
#ifndef P
#define P 4
#endif
#ifndef Q
#define Q 4
#endif

#ifdef DATA_TYPE_IS_DOUBLE
#define DATA_TYPE double
#define SCALAR_VAL(x) x
#else
#define DATA_TYPE float
#define SCALAR_VAL(x) x##f
#endif

void kernel_transposed_conv(DATA_TYPE input[CI][H][W], DATA_TYPE weight[CI][CO][P][Q],
                            DATA_TYPE output[CO][2 * H + P - 2][2 * W + Q - 2])
{
#pragma scop
    for (int o = 0; o < CO; o++)
        for (int y = 0; y < 2 * H + P - 2; y++)
            for (int x = 0; x < 2 * W + Q - 2; x++)
                output[o][y][x] = SCALAR_VAL(0.0);
    for (int o = 0; o < CO; o++)
        for (int c = 0; c < CI; c++)
            for (int y = 0; y < H; y++)
                for (int x = 0; x < W; x++)
                    for (int p = 0; p < P; p++)
                        for (int q = 0; q < Q; q++)
                            output[o][2 * y + p][2 * x + q] += input[c][y][x] * weight[c][o][p][q];
#pragma endscop
}
