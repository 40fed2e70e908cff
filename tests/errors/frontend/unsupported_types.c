#include <stdbool.h>
struct point { float x, y; };
enum colour { RED, GREEN };

void f(long double A[10], struct point P[10], __int128 C[10], bool mask[10], volatile int V[10], void *p,
       float (*fun)(float), float *rows[10], enum shade hue[10])
{
  __int128 wide = 0;
  for (int i = 0; i < 10; i++)
    A[i] = P[i].x + wide;
}
