/* A perceptron with one hidden layer on a batch of NB rows: hidden = max(0, x W1^T + b1), which stays
 * inside the function, then y = hidden W2^T + b2. */

#ifndef NB
#define NB 32
#endif
#ifndef NI
#define NI 784
#endif
#ifndef NH
#define NH 256
#endif
#ifndef NO
#define NO 10
#endif

#ifdef DATA_TYPE_IS_DOUBLE
#define DATA_TYPE double
#define SCALAR_VAL(x) x
#else
#define DATA_TYPE float
#define SCALAR_VAL(x) x##f
#endif

void kernel_mlp(DATA_TYPE x[NB][NI], DATA_TYPE w1[NH][NI], DATA_TYPE b1[NH],
                DATA_TYPE w2[NO][NH], DATA_TYPE b2[NO], DATA_TYPE y[NB][NO])
{
    int n, h, i, o;
    DATA_TYPE hidden[NB][NH];

#pragma scop
    for (n = 0; n < NB; n++)
        for (h = 0; h < NH; h++) {
            hidden[n][h] = b1[h];
            for (i = 0; i < NI; i++)
                hidden[n][h] += x[n][i] * w1[h][i];
            hidden[n][h] = hidden[n][h] > SCALAR_VAL(0.0) ? hidden[n][h] : SCALAR_VAL(0.0);
        }
    for (n = 0; n < NB; n++)
        for (o = 0; o < NO; o++) {
            y[n][o] = b2[o];
            for (h = 0; h < NH; h++)
                y[n][o] += hidden[n][h] * w2[o][h];
        }
#pragma endscop
}
