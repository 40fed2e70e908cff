/* City-block distances to marked pixels of 512 x 512 by a pass forwards and one backwards. */

#define N 512
static int min2(int a, int b) { return a < b ? a : b; }
void kernel_distance(const unsigned char img[N][N], int d[N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) d[i][j] = img[i][j] ? 0 : 10000;
  for (int i = 1; i < N; i++)
    for (int j = 1; j < N; j++)
      d[i][j] = min2(d[i][j], min2(d[i - 1][j], d[i][j - 1]) + 1);
  for (int i = N - 2; i >= 0; i--)
    for (int j = N - 2; j >= 0; j--)
      d[i][j] = min2(d[i][j], min2(d[i + 1][j], d[i][j + 1]) + 1);
}
