/* Structures of numbers as arguments, locals, whole values, and through pointers. */
#include <stdint.h>
typedef struct { uint8_t r, g, b; } pixel;
struct body { float pos[3]; float mass; };
typedef struct { float re, im; } cplx;
typedef struct { float gain; int offset; } params;
static cplx unused;
static float power(cplx z) { return z.re * z.re + z.im * z.im; }
static void rotate(cplx *z, const cplx *w) { float t = z->re * w->re - z->im * w->im; z->im = z->re * w->im + z->im * w->re; z->re = t; }
void st(pixel img[8][8], struct body b[4], cplx z[16], const cplx w[16], float out[16], params p)
{
  for (int y = 0; y < 8; y++)
    for (int x = 0; x < 8; x++) {
      pixel q = img[y][x];
      if (q.r > q.g) { uint8_t t = q.r; q.r = q.b; q.b = t; }
      q.g += p.offset;
      img[y][x] = q;
    }
  for (int i = 0; i < 16; i++) {
    rotate(&z[i], &w[i]);
    cplx c = {1.0f, 0.5f}, d;
    d = z[i];
    c.re += d.im;
    out[i] = power(z[i]) * p.gain + power(c);
  }
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 3; k++)
      b[i].pos[k] += b[i].mass;
}
