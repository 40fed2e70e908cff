/* Which of 256 nodes are reached from which, by the algorithm of Warshall. */

#define N 256
void kernel_closure(int r[N][N]) {
  for (int k = 0; k < N; k++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        r[i][j] = r[i][j] | (r[i][k] & r[k][j]);
}
