/* The best order of 199 matrix products. */

#define N 200
#define MIN(a, b) ((a) < (b) ? (a) : (b))
void kernel_matchain(const int p[N + 1], int m[N][N]) {
  for (int i = 0; i < N; i++) m[i][i] = 0;
  for (int l = 1; l < N; l++)
    for (int i = 0; i < N - l; i++) {
      m[i][i + l] = 2147483647;
      for (int k = i; k < i + l; k++)
        m[i][i + l] = MIN(m[i][i + l], m[i][k] + m[k + 1][i + l] + p[i] * p[k + 1] * p[i + l + 1]);
    }
}
