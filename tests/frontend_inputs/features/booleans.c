/* bool: conversions compare with zero, values are 0 or 1, shifts of iterators and steps by factors write loops out. */
#include <stdbool.h>

#define N 16

static bool inside(float x, float low, float high) { return x >= low && x <= high; }

static bool any(const bool m[N])
{
  bool found = false;
  for (int i = 0; i < N; i++)
    found = found || m[i];
  return found;
}

void booleans(bool m[N], float x[N], int y[N], _Bool flag, char c[N])
{
  for (int i = 0; i < N; i++) {
    bool b = x[i] * 0.4f;
    m[i] = inside(x[i], -1.0f, 1.0f) ^ b;
    y[i] += m[i] + b * 2 + (bool)(y[i] & 4) + flag + (c[i] >= 'a' && c[i] <= 'z' ? c[i] - 'a' : '0');
    c[i] = (c[i] + c[15 - i] + '\n') / 2;
    if (b && !m[i])
      x[i] += m[i];
  }
  y[0] += any(m);
  for (int s = 0; s < 4; s++)
    for (int k = 0; k < (N >> (s + 1)); k++)
      for (int j = 0; j < (1 << s); j++) {
        int a = k * (2 << s) + j;
        float t = x[a + (1 << s)];
        x[a + (1 << s)] = x[a] - t;
        x[a] += t;
      }
  for (int half = N / 2; half > 0; half /= 2)
    for (int i = 0; i < half; i++)
      y[i] += y[i + half];
}
