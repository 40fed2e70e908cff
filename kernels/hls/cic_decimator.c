/* Decimation by a CIC filter of third order, its state kept from call to call by the caller. */
#define RATE 8
#define SAMPLES 512

typedef long long wide;

static inline wide comb(wide in, wide *before)
{
  wide out = in - *before;
  *before = in;
  return out;
}

void cic_decimator(const short x[SAMPLES], int y[SAMPLES / RATE], wide state[6])
{
  wide i0 = state[0], i1 = state[1], i2 = state[2], c0 = state[3], c1 = state[4], c2 = state[5];
  for (int n = 0; n < SAMPLES / RATE; n++) {
    for (int r = 0; r < RATE; r++) {
      i0 += x[n * RATE + r];
      i1 += i0;
      i2 += i1;
    }
    y[n] = (int)(comb(comb(comb(i2, &c0), &c1), &c2) >> 9);
  }
  state[0] = i0;
  state[1] = i1;
  state[2] = i2;
  state[3] = c0;
  state[4] = c1;
  state[5] = c2;
}
