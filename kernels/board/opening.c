/* Opening of a grey picture: the darkest of 15 x 15 pixels, then the brightest of as many of these, each in rows and
 * in columns. Pixels too near to the border stay. */

#define H 1080
#define W 1920
#define R 7

typedef unsigned char pixel;

void opening(const pixel in[H][W], pixel out[H][W])
{
  static pixel dark_rows[H][W], dark[H][W], bright_rows[H][W];

  for (int y = 0; y < H; y++)
    for (int x = R; x < W - R; x++) {
      pixel least = 255;
      for (int k = -R; k <= R; k++)
        if (in[y][x + k] < least)
          least = in[y][x + k];
      dark_rows[y][x] = least;
    }
  for (int y = R; y < H - R; y++)
    for (int x = R; x < W - R; x++) {
      pixel least = 255;
      for (int k = -R; k <= R; k++)
        if (dark_rows[y + k][x] < least)
          least = dark_rows[y + k][x];
      dark[y][x] = least;
    }
  for (int y = R; y < H - R; y++)
    for (int x = 2 * R; x < W - 2 * R; x++) {
      pixel most = 0;
      for (int k = -R; k <= R; k++)
        if (dark[y][x + k] > most)
          most = dark[y][x + k];
      bright_rows[y][x] = most;
    }
  for (int y = 2 * R; y < H - 2 * R; y++)
    for (int x = 2 * R; x < W - 2 * R; x++) {
      pixel most = 0;
      for (int k = -R; k <= R; k++)
        if (bright_rows[y + k][x] > most)
          most = bright_rows[y + k][x];
      out[y][x] = most;
    }
}
