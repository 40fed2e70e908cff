/* Three colours made of three for each of 2,160 x 3,840 pixels, by a matrix. */

#define H 2160
#define W 3840
void kernel_colours4k(const float in[H][W][3], const float m[3][3], float out[H][W][3]) {
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      for (int c = 0; c < 3; c++) {
        float s = 0;
        for (int d = 0; d < 3; d++) s += m[c][d] * in[y][x][d];
        out[y][x][c] = s;
      }
}
