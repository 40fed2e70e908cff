/* The best score of a local alignment of 800 and 800 characters with gaps, one row of its tables at a time. */

#define N 800
#define M 800
void kernel_alignment(const signed char a[N], const signed char b[M], int score[1]) {
  int H[M + 1], E[M + 1], best = 0;
  for (int j = 0; j <= M; j++) { H[j] = 0; E[j] = -1000; }
  for (int i = 0; i < N; i++) {
    int F = -1000, diag = 0;
    for (int j = 1; j <= M; j++) {
      int e = E[j] - 1, h = H[j] - 3;
      E[j] = e > h ? e : h;
      int f = F - 1, g = H[j - 1] - 3;
      F = f > g ? f : g;
      int s = diag + (a[i] == b[j - 1] ? 2 : -1);
      s = s > E[j] ? s : E[j];
      s = s > F ? s : F;
      s = s > 0 ? s : 0;
      diag = H[j];
      H[j] = s;
      best = best > s ? best : s;
    }
  }
  score[0] = best;
}
