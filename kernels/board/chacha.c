/* 20 rounds of ChaCha on each of 512 blocks of 16 words, by a macro. */

#include <stdint.h>
#define B 512
#define R(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
#define QR(a, b, c, d) s[a] += s[b]; s[d] = R(s[d] ^ s[a], 16); s[c] += s[d]; s[b] = R(s[b] ^ s[c], 12); s[a] += s[b]; s[d] = R(s[d] ^ s[a], 8); s[c] += s[d]; s[b] = R(s[b] ^ s[c], 7);
void kernel_chacha(const uint32_t in[B][16], uint32_t out[B][16]) {
  for (int b = 0; b < B; b++) {
    uint32_t s[16];
    for (int i = 0; i < 16; i++) s[i] = in[b][i];
    for (int r = 0; r < 10; r++) {
      QR(0, 4, 8, 12) QR(1, 5, 9, 13) QR(2, 6, 10, 14) QR(3, 7, 11, 15)
      QR(0, 5, 10, 15) QR(1, 6, 11, 12) QR(2, 7, 8, 13) QR(3, 4, 9, 14)
    }
    for (int i = 0; i < 16; i++) out[b][i] = s[i] + in[b][i];
  }
}
