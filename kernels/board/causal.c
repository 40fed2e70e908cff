/* Causal attention of one head, 256 places of 64 channels, each row a softmax of its own. */

#include <math.h>
#define T 256
#define C 64
void kernel_causal(const float q[T][C], const float k[T][C], const float v[T][C], float o[T][C]) {
  float s[T][T];
  for (int i = 0; i < T; i++) {
    for (int j = 0; j <= i; j++) {
      float a = 0;
      for (int c = 0; c < C; c++) a += q[i][c] * k[j][c];
      s[i][j] = a * 0.125f;
    }
    float m = s[i][0];
    for (int j = 1; j <= i; j++) m = fmaxf(m, s[i][j]);
    float z = 0;
    for (int j = 0; j <= i; j++) { s[i][j] = expf(s[i][j] - m); z += s[i][j]; }
    for (int c = 0; c < C; c++) {
      float a = 0;
      for (int j = 0; j <= i; j++) a += s[i][j] * v[j][c];
      o[i][c] = a / z;
    }
  }
}
