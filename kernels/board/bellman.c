/* Shortest paths from one of 256 nodes by rounds over all edges of a dense graph. */

#define N 256
void kernel_bellman(const int w[N][N], int d[N]) {
  int nd[N];
  for (int k = 0; k < N - 1; k++) {
    for (int j = 0; j < N; j++) {
      int best = d[j];
      for (int i = 0; i < N; i++)
        if (d[i] + w[i][j] < best) best = d[i] + w[i][j];
      nd[j] = best;
    }
    for (int j = 0; j < N; j++) d[j] = nd[j];
  }
}
