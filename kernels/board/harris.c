/* Corners by the rule of Harris, windows of 5 x 5 over 480 x 640 pixels. */

#define H 480
#define W 640
void kernel_harris(unsigned char img[H][W], int out[H][W]) {
  static int ix[H][W], iy[H][W];
  for (int y = 1; y < H - 1; y++)
    for (int x = 1; x < W - 1; x++) {
      ix[y][x] = img[y][x + 1] - img[y][x - 1];
      iy[y][x] = img[y + 1][x] - img[y - 1][x];
    }
  for (int y = 3; y < H - 3; y++)
    for (int x = 3; x < W - 3; x++) {
      int a = 0, b = 0, c = 0;
      for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
          int gx = ix[y + dy][x + dx], gy = iy[y + dy][x + dx];
          a += gx * gx; b += gy * gy; c += gx * gy;
        }
      a >>= 8; b >>= 8; c >>= 8;
      int det = a * b - c * c, tr = a + b;
      out[y][x] = det - ((tr * tr) >> 4);
    }
}
