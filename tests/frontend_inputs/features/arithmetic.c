/* Conversions and promotions of every kind: what C computes, not what looks alike. */

enum { FIRST = 3, SECOND, THIRD = FIRST * 4, BELOW = -5 };
static const long FAR = 5000000000;
static const unsigned char MASK = 0x0f;
static const unsigned FULL = ~0u - 2;
static const float THIRD_OF = 1 / 3.0f;

void arithmetic(float f[8], double d[8], signed char c[8], unsigned char u[8], short s[8], unsigned w[8],
                long long l[8], int r[8], float alpha, int shift)
{
  for (int i = 0; i < 8; i++) {
    f[i] = f[i] + 0.1;
    f[i] = f[i] + 0.1f * d[i];
    f[i] += 1;
    f[i] *= alpha + 1e-3;
    d[i] = f[i] * f[i] + 1.f / 3 - .5 + 2.;
    d[i] = (float)d[i] * (double)f[i] - (int)d[i];
    c[i] += 100;
    c[i] = c[i] * 3 - u[i];
    u[i] = ~u[i] + 0x1F;
    u[i] <<= 1;
    s[i] = -s[i] * c[i] >> 2;
    s[i] ^= 'a';
    w[i] = w[i] - 7 * r[i];
    w[i] /= 3;
    w[i] %= 1000u;
    l[i] = l[i] * 100000 + w[i] - (1 << 30);
    l[i] |= 0x80000000;
    r[i] = r[i] / 3 + r[i] % 5 + -7 / 2 + -7 % 2;
    r[i] = (r[i] & 0xff) | (s[i] << (shift & 3));
    r[i] += (c[i] < u[i]) + (w[i] > r[i]) + !r[i] + (r[i] && f[i]) + (f[i] > 1 || d[i] < 0.5);
    r[i] -= 010 + sizeof(short) + SECOND + THIRD;
    f[i] = f[i] > d[i] ? r[i] : f[i];
    d[i] = c[i] != 0 ? c[i] : l[i];
    d[i] += 0x1.8p1 + 1E-2;
    l[i] += FAR * BELOW + (MASK << 4) + (FULL + i) - i * BELOW;
    w[i] ^= ~MASK + (BELOW < 1u);
    f[i] -= THIRD_OF * MASK;
  }
}
