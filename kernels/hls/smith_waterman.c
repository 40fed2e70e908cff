/* The best score of a local alignment and where it ends. */
#define N 32

void smith_waterman(const char a[N], const char b[N], int h[N + 1][N + 1], int best[3])
{
  int top = 0, ti = 0, tj = 0;
  for (int i = 0; i <= N; i++)
    for (int j = 0; j <= N; j++) {
      if (i == 0 || j == 0) {
        h[i][j] = 0;
        continue;
      }
      int v = h[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 2 : -1);
      v = v > h[i - 1][j] - 1 ? v : h[i - 1][j] - 1;
      v = v > h[i][j - 1] - 1 ? v : h[i][j - 1] - 1;
      if (v < 0)
        v = 0;
      h[i][j] = v;
      if (v > top) {
        top = v;
        ti = i;
        tj = j;
      }
    }
  best[0] = top;
  best[1] = ti;
  best[2] = tj;
}
