/* Detection by a sliding window of cells around each of 64 x 2,048. */

#define R 64
#define N 2048
#define G 2
#define W 8
void kernel_cfar(const float x[R][N], unsigned char hit[R][N]) {
  for (int r = 0; r < R; r++)
    for (int n = G + W; n < N - G - W; n++) {
      float s = 0;
      for (int k = G + 1; k <= G + W; k++) s += x[r][n - k] + x[r][n + k];
      hit[r][n] = x[r][n] > 3.0f * s / (2 * W) ? 1 : 0;
    }
}
