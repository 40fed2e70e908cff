/* A block of a transformer from layer norm on, 256 to 1,024 units with a gate, back to 256, for 128 places. */

#include <math.h>
enum { T = 128, D = 256, F = 1024 };
void kernel_mlp(float x[T][D], float g[D], float b[D], float w1[D][F], float b1[F], float w2[F][D], float b2[D], float y[T][D]) {
  static float n[T][D], h[T][F];
  for (int t = 0; t < T; t++) {
    float m = 0, v = 0;
    for (int d = 0; d < D; d++) m += x[t][d];
    m /= D;
    for (int d = 0; d < D; d++) v += (x[t][d] - m) * (x[t][d] - m);
    v = 1.0f / sqrtf(v / D + 1e-5f);
    for (int d = 0; d < D; d++) n[t][d] = (x[t][d] - m) * v * g[d] + b[d];
  }
  for (int t = 0; t < T; t++)
    for (int f = 0; f < F; f++) {
      float a = b1[f];
      for (int d = 0; d < D; d++) a += n[t][d] * w1[d][f];
      h[t][f] = a / (1.0f + expf(-1.702f * a));
    }
  for (int t = 0; t < T; t++)
    for (int d = 0; d < D; d++) {
      float a = b2[d] + x[t][d];
      for (int f = 0; f < F; f++) a += h[t][f] * w2[f][d];
      y[t][d] = a;
    }
}
