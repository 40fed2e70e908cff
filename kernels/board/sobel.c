/* Sobel edges of 480 x 640 pixels, weights in constant tables. */

#define H 480
#define W 640
void kernel_sobel(const unsigned char in[H][W], unsigned char out[H][W]) {
  for (int y = 1; y < H - 1; y++)
    for (int x = 1; x < W - 1; x++) {
      int gx = 0, gy = 0;
      static const int kx[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
          gx += kx[i][j] * in[y + i - 1][x + j - 1];
          gy += kx[j][i] * in[y + i - 1][x + j - 1];
        }
      int s = (gx < 0 ? -gx : gx) + (gy < 0 ? -gy : gy);
      out[y][x] = s > 255 ? 255 : s;
    }
}
