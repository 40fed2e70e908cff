/* 512 tridiagonal systems of 256 unknowns. */

#define B 512
#define N 256
void kernel_thomasb(const float a[B][N], const float b[B][N], const float c[B][N], float d[B][N]) {
  static float cp[B][N];
  for (int s = 0; s < B; s++) {
    cp[s][0] = c[s][0] / b[s][0];
    d[s][0] = d[s][0] / b[s][0];
    for (int i = 1; i < N; i++) {
      float m = 1.0f / (b[s][i] - a[s][i] * cp[s][i - 1]);
      cp[s][i] = c[s][i] * m;
      d[s][i] = (d[s][i] - a[s][i] * d[s][i - 1]) * m;
    }
    for (int i = N - 2; i >= 0; i--) d[s][i] -= cp[s][i] * d[s][i + 1];
  }
}
