/* A template of 16 x 16 at every place of 128 x 128 pixels, by squared differences. */

#define H 128
#define W 128
#define T 16
void kernel_template(const unsigned char img[H][W], const unsigned char t[T][T], int score[H - T + 1][W - T + 1]) {
  for (int y = 0; y <= H - T; y++)
    for (int x = 0; x <= W - T; x++) {
      int s = 0;
      for (int v = 0; v < T; v++)
        for (int u = 0; u < T; u++) {
          int d = img[y + v][x + u] - t[v][u];
          s += d * d;
        }
      score[y][x] = s;
    }
}
