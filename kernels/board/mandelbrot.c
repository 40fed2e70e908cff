/* 64 steps of the Mandelbrot set for 256 x 256 points. */

#define H 256
#define W 256
#define K 64
void kernel_mandelbrot(const float cx[W], const float cy[H], unsigned char out[H][W]) {
  for (int i = 0; i < H; i++)
    for (int j = 0; j < W; j++) {
      float x = 0, y = 0;
      int n = 0;
      for (int k = 0; k < K; k++) {
        float x2 = x * x, y2 = y * y;
        int in = x2 + y2 < 4.0f;
        y = in ? 2 * x * y + cy[i] : y;
        x = in ? x2 - y2 + cx[j] : x;
        n += in;
      }
      out[i][j] = n;
    }
}
