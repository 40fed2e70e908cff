/* Forces between bodies, softened so that a body does not act on itself. */
#include <math.h>

#define N 32

void nbody(const float pos[N][3], const float mass[N], float force[N][3], float soft)
{
  for (int i = 0; i < N; i++) {
    float f[3] = {0.0f, 0.0f, 0.0f};
    for (int j = 0; j < N; j++) {
      float d[3], r2 = soft;
      for (int k = 0; k < 3; k++) {
        d[k] = pos[j][k] - pos[i][k];
        r2 += d[k] * d[k];
      }
      float s = mass[j] / (r2 * sqrtf(r2));
      for (int k = 0; k < 3; k++)
        f[k] += s * d[k];
    }
    for (int k = 0; k < 3; k++)
      force[i][k] = mass[i] * f[k];
  }
}
