/* How many steps every point takes to leave the disc of radius two, at most STEPS. */
#define H 16
#define W 24
#define STEPS 16

void mandelbrot(int count[H][W], float x0, float y0, float step)
{
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      float cr = x0 + x * step, ci = y0 + y * step, zr = 0.0f, zi = 0.0f;
      int n = 0;
      for (int k = 0; k < STEPS; k++) {
        float t = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = t;
        if (zr * zr + zi * zi > 4.0f)
          break;
        n++;
      }
      count[y][x] = n;
    }
}
