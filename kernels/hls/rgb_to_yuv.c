/* RGB to YUV in integers, every channel clamped to a byte. */
#include <stdint.h>

#define N 512

static uint8_t byte(int v)
{
  if (v < 0)
    return 0;
  if (v > 255)
    return 255;
  return v;
}

void rgb_to_yuv(const uint8_t rgb[N][3], uint8_t yuv[N][3])
{
  for (int i = 0; i < N; i++) {
    int r = rgb[i][0], g = rgb[i][1], b = rgb[i][2];
    yuv[i][0] = byte((77 * r + 150 * g + 29 * b) >> 8);
    yuv[i][1] = byte(((-43 * r - 85 * g + 128 * b) >> 8) + 128);
    yuv[i][2] = byte(((128 * r - 107 * g - 21 * b) >> 8) + 128);
  }
}
