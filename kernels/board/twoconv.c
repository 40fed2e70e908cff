/* Two convolutions of 3 x 3 of 32 maps of 512 x 512, what lies between in a local array of 33 MB. */

#define C 32
#define H 512
#define W 512
void kernel_twoconv(const float in[C][H][W], const float w1[C][C][3][3], const float w2[C][C][3][3], float out[C][H][W]) {
  float mid[C][H][W];
  for (int o = 0; o < C; o++)
    for (int y = 1; y < H - 1; y++)
      for (int x = 1; x < W - 1; x++) {
        float s = 0;
        for (int i = 0; i < C; i++)
          for (int p = 0; p < 3; p++)
            for (int q = 0; q < 3; q++)
              s += w1[o][i][p][q] * in[i][y + p - 1][x + q - 1];
        mid[o][y][x] = s > 0 ? s : 0;
      }
  for (int o = 0; o < C; o++)
    for (int y = 2; y < H - 2; y++)
      for (int x = 2; x < W - 2; x++) {
        float s = 0;
        for (int i = 0; i < C; i++)
          for (int p = 0; p < 3; p++)
            for (int q = 0; q < 3; q++)
              s += w2[o][i][p][q] * mid[i][y + p - 1][x + q - 1];
        out[o][y][x] = s;
      }
}
