/* The longest common subsequence of two texts of 1,024 letters. */

#define N 1024
void kernel_lcs(const char a[N], const char b[N], int *len) {
  static short L[N + 1][N + 1];
  for (int i = 0; i <= N; i++) { L[i][0] = 0; L[0][i] = 0; }
  for (int i = 1; i <= N; i++)
    for (int j = 1; j <= N; j++)
      if (a[i - 1] == b[j - 1]) L[i][j] = L[i - 1][j - 1] + 1;
      else L[i][j] = L[i - 1][j] > L[i][j - 1] ? L[i - 1][j] : L[i][j - 1];
  *len = L[N][N];
}
