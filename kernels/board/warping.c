/* Time warping of two signals of 4,000 samples, costs and distances in local arrays of 64 MB each. */

#define N 4000
float mn(float a, float b) { return a < b ? a : b; }
float kernel_warping(const float x[N], const float y[N]) {
  static float c[N][N], d[N][N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) { float e = x[i] - y[j]; c[i][j] = e * e; }
  d[0][0] = c[0][0];
  for (int i = 1; i < N; i++) d[i][0] = d[i - 1][0] + c[i][0];
  for (int j = 1; j < N; j++) d[0][j] = d[0][j - 1] + c[0][j];
  for (int i = 1; i < N; i++)
    for (int j = 1; j < N; j++)
      d[i][j] = c[i][j] + mn(d[i - 1][j - 1], mn(d[i - 1][j], d[i][j - 1]));
  return d[N - 1][N - 1];
}
