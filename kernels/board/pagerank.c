/* 10 steps of a power iteration with a dense matrix of 1,024 x 1,024. */

#define N 1024
#define IT 10
void kernel_pagerank(const float M[N][N], float r[N]) {
  static float t[N];
  for (int it = 0; it < IT; it++) {
    for (int i = 0; i < N; i++) {
      t[i] = 0.15f / N;
      for (int j = 0; j < N; j++) t[i] += 0.85f * M[i][j] * r[j];
    }
    for (int i = 0; i < N; i++) r[i] = t[i];
  }
}
