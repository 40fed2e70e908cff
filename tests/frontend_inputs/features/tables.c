/* Constant tables: any length, several dimensions, read by data whose range is known, in functions too. */

#define N 24

static const unsigned char sbox[256] = {99, 124, 119, 123, 242, 107, 111, 197, 48, 1, 103, 43, 254, 215, 171, 118, 202};
static const float curve[6] = {0.0f, .5f, 1.f, 1.5, -2.25, 1e-3f};
static const short weight[3][2] = {{1, -2}, {3, 4}, {-5}};
static const int far[1000] = {7, 1, 2};
const double unused[2] = {1, 2};

static float at(int k)
{
  if (k < 0)
    k = 0;
  if (k > 5)
    k = 5;
  return curve[k];
}

static int bent(const short w[3][2], int i) { return w[i % 3][1] + w[2][0]; }

void tables(unsigned char x[N], float y[N], int d[N], signed char s[N])
{
  const int local[4] = {10, 20, 30, 40};
  unsigned crc = 0xffffffffu;
  for (int i = 0; i < N; i++) {
    x[i] = sbox[x[i]] ^ sbox[(x[i] + i) & 255];
    crc = far[(crc ^ x[i]) & 0xff] ^ (crc >> 8);
    int k = (int)(y[i] * 4.0f);
    k = k < 0 ? 0 : k > 5 ? 5 : k;
    y[i] = curve[k] * at(d[i]) + weight[d[i] & 1][i % 2] + curve[i < 6 ? i : 5];
    if (s[i] >= 0 && s[i] < 4)
      d[i] += local[s[i]];
    else {
      int back = local[3 - (s[i] & 3)];
      d[i] -= back;
    }
    d[i] += s[i] > 100 ? local[s[i] - 101 & 3] : bent(weight, i);
    d[i] ^= crc;
  }
}
