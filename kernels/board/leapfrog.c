/* 20 leapfrog steps of 256 bodies in three dimensions. */

#include <math.h>
#define N 256
#define T 20
void kernel_leapfrog(float x[N][3], float v[N][3], const float m[N]) {
  float a[N][3];
  for (int t = 0; t < T; t++) {
    for (int i = 0; i < N; i++) {
      float ax = 0, ay = 0, az = 0;
      for (int j = 0; j < N; j++) {
        float dx = x[j][0] - x[i][0], dy = x[j][1] - x[i][1], dz = x[j][2] - x[i][2];
        float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
        float inv = 1.0f / (r2 * sqrtf(r2));
        ax += m[j] * dx * inv; ay += m[j] * dy * inv; az += m[j] * dz * inv;
      }
      a[i][0] = ax; a[i][1] = ay; a[i][2] = az;
    }
    for (int i = 0; i < N; i++)
      for (int c = 0; c < 3; c++) { v[i][c] += 0.01f * a[i][c]; x[i][c] += 0.01f * v[i][c]; }
  }
}
