/* Depthwise convolution: every channel c is filtered by its own P x Q taps,
 * output_chw = bias_c + sum_pq weight_cpq input_c(h+p)(w+q). */

#ifndef C
#define C 128
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
#else
#define DATA_TYPE float
#endif

void kernel_depthwise_conv(DATA_TYPE input[C][H + P - 1][W + Q - 1], DATA_TYPE weight[C][P][Q],
                           DATA_TYPE bias[C], DATA_TYPE output[C][H][W])
{
#pragma scop
    for (int c = 0; c < C; c++)
        for (int h = 0; h < H; h++)
            for (int w = 0; w < W; w++) {
                output[c][h][w] = bias[c];
                for (int p = 0; p < P; p++)
                    for (int q = 0; q < Q; q++)
                        output[c][h][w] += weight[c][p][q] * input[c][h + p][w + q];
            }
#pragma endscop
}
