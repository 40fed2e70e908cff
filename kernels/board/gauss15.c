/* A separable Gauss filter of 15 taps over 1080 x 1920 bytes. */

#define H 1080
#define W 1920
#define K 15
void kernel_gauss15(const unsigned char in[H][W], const short k[K], unsigned char out[H][W]) {
  static unsigned char tmp[H][W];
  for (int y = 0; y < H; y++)
    for (int x = K / 2; x < W - K / 2; x++) {
      int s = 0;
      for (int i = 0; i < K; i++) s += k[i] * in[y][x + i - K / 2];
      tmp[y][x] = s >> 8;
    }
  for (int y = K / 2; y < H - K / 2; y++)
    for (int x = K / 2; x < W - K / 2; x++) {
      int s = 0;
      for (int i = 0; i < K; i++) s += k[i] * tmp[y + i - K / 2][x];
      out[y][x] = s >> 8;
    }
}
