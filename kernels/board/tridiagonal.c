/* 4,096 tridiagonal systems of 512 unknowns, solved in place. */

#define B 4096
#define N 512
void kernel_tridiagonal(const float a[B][N], const float b[B][N], float c[B][N], float d[B][N]) {
  for (int s = 0; s < B; s++) {
    c[s][0] = c[s][0] / b[s][0];
    d[s][0] = d[s][0] / b[s][0];
    for (int i = 1; i < N; i++) {
      float m = 1.0f / (b[s][i] - a[s][i] * c[s][i-1]);
      c[s][i] = c[s][i] * m;
      d[s][i] = (d[s][i] - a[s][i] * d[s][i-1]) * m;
    }
    for (int i = N - 2; i >= 0; i--)
      d[s][i] = d[s][i] - c[s][i] * d[s][i+1];
  }
}
