/* 10 steps of a D2Q9 lattice Boltzmann method on 128 x 128. */

#define N 128
#define T 10
static const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const float w[9] = {4.f/9, 1.f/9, 1.f/9, 1.f/9, 1.f/9, 1.f/36, 1.f/36, 1.f/36, 1.f/36};
void kernel_lbm9(float f[9][N][N]) {
  static float g[9][N][N];
  for (int t = 0; t < T; t++) {
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        float r = 0, ux = 0, uy = 0;
        for (int q = 0; q < 9; q++) { r += f[q][i][j]; ux += cx[q] * f[q][i][j]; uy += cy[q] * f[q][i][j]; }
        ux /= r; uy /= r;
        for (int q = 0; q < 9; q++) {
          float cu = cx[q] * ux + cy[q] * uy;
          float eq = w[q] * r * (1 + 3 * cu + 4.5f * cu * cu - 1.5f * (ux * ux + uy * uy));
          g[q][i][j] = f[q][i][j] - 0.6f * (f[q][i][j] - eq);
        }
      }
    for (int q = 0; q < 9; q++)
      for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
          f[q][i][j] = g[q][i - cx[q]][j - cy[q]];
  }
}
