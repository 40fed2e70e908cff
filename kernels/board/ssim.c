/* The structural similarity of two pictures of 1,080 x 1,920 pixels, windows of 8 x 8, five sums in each. */

#define H 1080
#define W 1920
void kernel_ssim(const float a[H][W], const float b[H][W], float out[H-7][W-7]) {
  for (int y = 0; y < H - 7; y++)
    for (int x = 0; x < W - 7; x++) {
      float sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
      for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
          float p = a[y+i][x+j], q = b[y+i][x+j];
          sa += p; sb += q; saa += p*p; sbb += q*q; sab += p*q;
        }
      float ma = sa / 64, mb = sb / 64;
      float va = saa / 64 - ma*ma, vb = sbb / 64 - mb*mb, c = sab / 64 - ma*mb;
      out[y][x] = ((2*ma*mb + 6.5f) * (2*c + 58.5f)) / ((ma*ma + mb*mb + 6.5f) * (va + vb + 58.5f));
    }
}
