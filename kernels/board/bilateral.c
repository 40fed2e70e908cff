/* A bilateral filter of 5 x 5 over 512 x 512 pixels. */

#include <math.h>
#define N 512
void kernel_bilateral(const float in[N][N], float out[N][N]) {
  for (int i = 2; i < N - 2; ++i)
    for (int j = 2; j < N - 2; ++j) {
      float s = 0.f, w = 0.f;
      for (int u = -2; u <= 2; ++u)
        for (int v = -2; v <= 2; ++v) {
          float d = in[i + u][j + v] - in[i][j];
          float k = expf(-0.5f * d * d - 0.1f * (float)(u * u + v * v));
          s += k * in[i + u][j + v];
          w += k;
        }
      out[i][j] = s / w;
    }
}
