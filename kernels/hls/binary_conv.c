/* A binarised 3x3 convolution over 32 channels packed in words, which returns early where the header is wrong. */
#include <stdint.h>
#include <stdbool.h>
bool binary_conv(const uint32_t header[2], const uint32_t in[16][16], const uint32_t w[8][3][3],
                 const int16_t thr[8], uint8_t out[14][14]) {
  if (header[0] != 0xb1b1u || header[1] > 3u) return false;
  for (int y = 0; y < 14; y++)
    for (int x = 0; x < 14; x++) {
      uint8_t bits = 0;
      for (int f = 0; f < 8; f++) {
        int16_t acc = 0;
        for (int v = 0; v < 3; v++)
          for (int u = 0; u < 3; u++) {
            uint32_t z = ~(in[y + v][x + u] ^ w[f][v][u]);
            for (int b = 0; b < 32; b++) acc += (int16_t)((z >> b) & 1u);
          }
        bits |= (uint8_t)((2 * acc - 288 > thr[f]) << f);
      }
      out[y][x] = bits;
    }
  return true;
}
