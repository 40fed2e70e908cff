/* A blur of 5 by 5 in two passes over 2,160 x 3,840 pixels, what lies between in a local array of 33 MB. */

#define H 2160
#define W 3840
void kernel_blur4k(float in[H][W], float out[H][W], const float k[5]) {
  float tmp[H][W];
  for (int y = 0; y < H; y++)
    for (int x = 2; x < W - 2; x++) {
      float s = 0.0f;
      for (int t = 0; t < 5; t++)
        s += k[t] * in[y][x + t - 2];
      tmp[y][x] = s;
    }
  for (int y = 2; y < H - 2; y++)
    for (int x = 2; x < W - 2; x++) {
      float s = 0.0f;
      for (int t = 0; t < 5; t++)
        s += k[t] * tmp[y + t - 2][x];
      out[y][x] = s;
    }
}
