/* 64 implicit steps of diffusion along 512 points, a tridiagonal system each. */

#define N 512
#define T 64
void kernel_crank(float u[N], float a, float b) {
  float c[N], d[N];
  for (int t = 0; t < T; t++) {
    d[0] = u[0]; c[0] = 0;
    for (int i = 1; i < N - 1; i++) {
      float rhs = a * u[i - 1] + (1 - 2 * a) * u[i] + a * u[i + 1];
      float m = 1.0f / (b + a * c[i - 1]);
      c[i] = -a * m;
      d[i] = (rhs + a * d[i - 1]) * m;
    }
    for (int i = N - 2; i >= 1; i--) u[i] = d[i] - c[i] * u[i + 1];
  }
}
