/* XTEA: 32 rounds on every block of two words; the word of the key is chosen by the running sum. */
#include <stdint.h>

#define BLOCKS 32

static uint32_t word(const uint32_t key[4], uint32_t at)
{
  switch (at & 3) {
  case 0:
    return key[0];
  case 1:
    return key[1];
  case 2:
    return key[2];
  default:
    return key[3];
  }
}

void xtea(uint32_t v[BLOCKS][2], const uint32_t key[4])
{
  for (int b = 0; b < BLOCKS; b++) {
    uint32_t v0 = v[b][0], v1 = v[b][1], sum = 0;
    for (int i = 0; i < 32; i++) {
      v0 += (((v1 << 4) ^ (v1 >> 5)) + v1) ^ (sum + word(key, sum));
      sum += 0x9E3779B9u;
      v1 += (((v0 << 4) ^ (v0 >> 5)) + v0) ^ (sum + word(key, sum >> 11));
    }
    v[b][0] = v0;
    v[b][1] = v1;
  }
}
