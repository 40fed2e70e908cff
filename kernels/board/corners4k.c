/* Corners of 2,160 x 3,840 pixels, gradients and their sums in five arguments. */

#define H 2160
#define W 3840
void kernel_corners4k(const float in[H][W], float out[H][W], float ix[H][W], float iy[H][W], float sxx[H][W], float sxy[H][W], float syy[H][W]) {
  for (int y = 1; y < H - 1; y++)
    for (int x = 1; x < W - 1; x++) {
      ix[y][x] = in[y][x + 1] - in[y][x - 1];
      iy[y][x] = in[y + 1][x] - in[y - 1][x];
    }
  for (int y = 2; y < H - 2; y++)
    for (int x = 2; x < W - 2; x++) {
      float a = 0, b = 0, c = 0;
      for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++) {
          a += ix[y + i][x + j] * ix[y + i][x + j];
          b += ix[y + i][x + j] * iy[y + i][x + j];
          c += iy[y + i][x + j] * iy[y + i][x + j];
        }
      sxx[y][x] = a; sxy[y][x] = b; syy[y][x] = c;
    }
  for (int y = 2; y < H - 2; y++)
    for (int x = 2; x < W - 2; x++) {
      float tr = sxx[y][x] + syy[y][x];
      out[y][x] = sxx[y][x] * syy[y][x] - sxy[y][x] * sxy[y][x] - 0.04f * tr * tr;
    }
}
