/* The quantiser of JPEG: zig-zag order by a constant table, rounded division, prediction of the first coefficient. */
#include <stdint.h>
static const uint8_t zz[64] = {
 0, 1, 8,16, 9, 2, 3,10,17,24,32,25,18,11, 4, 5,12,19,26,33,40,48,41,34,27,20,13, 6, 7,14,21,28,
35,42,49,56,57,50,43,36,29,22,15,23,30,37,44,51,58,59,52,45,38,31,39,46,53,60,61,54,47,55,62,63};
void jpeg_quantise(const int16_t coef[16][64], const uint16_t q[64], int16_t out[16][64]) {
  int16_t dc = 0;
  for (int b = 0; b < 16; b++) {
    for (int i = 0; i < 64; i++) {
      int v = coef[b][zz[i]];
      int s = v < 0 ? -1 : 1;
      int a = s * v;
      out[b][i] = (int16_t)(s * ((a + (q[i] >> 1)) / (q[i] | 1)));
    }
    int16_t cur = out[b][0];
    out[b][0] = cur - dc;
    dc = cur;
  }
}
