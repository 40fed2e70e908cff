/* Values of a picture scaled to 0 to 255 by its extremes, or an error code where it is flat. */
#include <float.h>
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
int stretch_contrast(const float in[20][30], float out[20][30], float *lo, float *hi) {
  float mn = FLT_MAX, mx = -FLT_MAX;
  for (int i = 0; i < 20; i++)
    for (int j = 0; j < 30; j++) { mn = MIN(mn, in[i][j]); mx = MAX(mx, in[i][j]); }
  *lo = mn; *hi = mx;
  if (mx - mn < 1e-12f) return -1;
  const float scale = 255.0f / (mx - mn);
  for (int i = 0; i < 20; i++)
    for (int j = 0; j < 30; j++) out[i][j] = (in[i][j] - mn) * scale;
  return 0;
}
