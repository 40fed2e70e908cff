/* Optical flow by the method of Lucas and Kanade, windows of 5 x 5 over 240 x 320 pixels. */

#define H 240
#define W 320
void kernel_optflow(const float a[H][W], const float b[H][W], float u[H][W], float v[H][W]) {
  for (int y = 3; y < H - 3; y++)
    for (int x = 3; x < W - 3; x++) {
      float sxx = 0, syy = 0, sxy = 0, sxt = 0, syt = 0;
      for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) {
          float gx = 0.5f * (a[y + j][x + i + 1] - a[y + j][x + i - 1]);
          float gy = 0.5f * (a[y + j + 1][x + i] - a[y + j - 1][x + i]);
          float gt = b[y + j][x + i] - a[y + j][x + i];
          sxx += gx * gx; syy += gy * gy; sxy += gx * gy; sxt += gx * gt; syt += gy * gt;
        }
      float det = sxx * syy - sxy * sxy + 1e-6f;
      u[y][x] = (sxy * syt - syy * sxt) / det;
      v[y][x] = (sxy * sxt - sxx * syt) / det;
    }
}
