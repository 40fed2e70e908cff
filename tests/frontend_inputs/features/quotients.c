/* Quotients and remainders that are affine all the same, those that say what is read, and loops that count down first. */

void quotients(int in[16], int out[16], int far[16], const int lut[8])
{
  for (int y = 0; y < 16; y += 2)
    out[y / 2] = in[y + y % 2] + in[(y >> 1) + 8];
  for (int y = -8; y < 8; y += 4)
    out[y / 4 + 10] += in[(y & 3) + 1];
  for (int i = 8; i < 16; i++)
    far[i % 8] = in[i / 8] * in[i - 8 & 7];
  for (int i = 0; i < 16; i++)
    out[i] += lut[i / 2] - lut[7 - (i & 1)];
  for (unsigned i = 16; i-- > 8u;)
    far[i] = out[15 - i];
  for (unsigned i = 0; i < 4; i += 3)
    far[i] += 1;
}
