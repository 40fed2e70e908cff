#include <stdint.h>
#include <string.h>
typedef union { float f; uint64_t u; } pair;
typedef union { float f; unsigned char byte[4]; } bytes;

void f(float A[10], uint32_t B[10])
{
  for (int i = 0; i < 10; i++) {
    pair p;
    bytes b;
    float x = A[i];
    uint64_t y;
    p.f = x;
    B[i] = (uint32_t)p.u;
    b.f = x;
    memcpy(&y, &x, 8);
  }
}
