/* A dilated convolution of 32 signals of 4,096 samples, with a leaky ReLU. */

#define L 4096
#define CI 32
#define CO 32
void kernel_dilated(float x[CI][L + 16], float w[CO][CI][3], float bias[CO], float y[CO][L]) {
  for (int o = 0; o < CO; o++)
    for (int t = 0; t < L; t++) {
      float s = bias[o];
      for (int c = 0; c < CI; c++)
        for (int k = 0; k < 3; k++)
          s += w[o][c][k] * x[c][t + 8 * k];
      y[o][t] = s > 0 ? s : 0.01f * s;
    }
}
