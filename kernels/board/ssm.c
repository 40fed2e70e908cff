/* A state-space layer, 64 channels of 16 states over 1,024 steps. */

#define T 1024
#define D 64
#define S 16
void kernel_ssm(const float A[D][S], const float dt[T][D], const float Bm[T][S], const float Cm[T][S], const float x[T][D], float y[T][D]) {
  float h[D][S];
  for (int d = 0; d < D; d++) for (int s = 0; s < S; s++) h[d][s] = 0;
  for (int t = 0; t < T; t++)
    for (int d = 0; d < D; d++) {
      float acc = 0;
      for (int s = 0; s < S; s++) {
        h[d][s] = h[d][s] * (1.0f + dt[t][d] * A[d][s]) + dt[t][d] * Bm[t][s] * x[t][d];
        acc += h[d][s] * Cm[t][s];
      }
      y[t][d] = acc;
    }
}
