/* Requantised activations: parameters in structures that a helper gets the address of, one of them static. */
#include <stdint.h>
#define N 128
typedef enum { NONE, RELU, LEAKY } act_t;
typedef struct { int32_t zero_point; int32_t mult; int shift; act_t act; } qparam_t;
static qparam_t def = { 3, 77, 8, RELU };
static int32_t requant(int32_t v, const qparam_t *p)
{
  int32_t r = (v * p->mult) >> 8;
  switch (p->act) {
    case RELU: if (r < 0) r = 0; break;
    case LEAKY: if (r < 0) r = r / 8; break;
    default: break;
  }
  return r + p->zero_point;
}
void requantise(const int32_t in[N], int8_t out[N], qparam_t q)
{
  for (int i = 0; i < N; i++) {
    int32_t a = requant(in[i], &q) + requant(in[i] >> 1, &def);
    if (a > 127) a = 127; else if (a < -128) a = -128;
    out[i] = (int8_t)a;
  }
}
