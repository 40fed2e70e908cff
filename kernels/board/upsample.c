/* An image of 270 x 480 bytes twice as large, its border repeated. */

#define H 270
#define W 480
void kernel_upsample(const unsigned char a[H][W], unsigned char b[2 * H][2 * W]) {
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      int x1 = x + 1 < W ? x + 1 : W - 1, y1 = y + 1 < H ? y + 1 : H - 1;
      b[2 * y][2 * x] = a[y][x];
      b[2 * y][2 * x + 1] = (a[y][x] + a[y][x1] + 1) >> 1;
      b[2 * y + 1][2 * x] = (a[y][x] + a[y1][x] + 1) >> 1;
      b[2 * y + 1][2 * x + 1] = (a[y][x] + a[y][x1] + a[y1][x] + a[y1][x1] + 2) >> 2;
    }
}
