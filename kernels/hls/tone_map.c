/* Tone mapping: 12-bit samples through a curve that arrives with the picture, 256 points, straight lines between. */
#include <stdint.h>

#define H 32
#define W 32

static uint8_t curve_at(const uint8_t curve[257], unsigned v)
{
  unsigned low = v >> 4, part = v & 15;
  return (uint8_t)((curve[low] * (16 - part) + curve[low + 1] * part + 8) >> 4);
}

void tone_map(const uint16_t raw[H][W], const uint8_t curve[257], uint8_t out[H][W])
{
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      out[y][x] = curve_at(curve, raw[y][x] & 4095u);
}
