/* One level of a Haar wavelet of 512 x 512 integers, rows, then columns. */

#define N 512
void kernel_wavelet(int a[N][N]) {
  static int t[N][N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N / 2; j++) {
      int l = a[i][2 * j], h = a[i][2 * j + 1] - l;
      t[i][j] = l + (h >> 1);
      t[i][N / 2 + j] = h;
    }
  for (int i = 0; i < N / 2; i++)
    for (int j = 0; j < N; j++) {
      int l = t[2 * i][j], h = t[2 * i + 1][j] - l;
      a[i][j] = l + (h >> 1);
      a[N / 2 + i][j] = h;
    }
}
