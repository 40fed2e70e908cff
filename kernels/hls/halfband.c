/* Decimation by two with a delay line of seven samples, two of which are shifted in for each result. */
#define N 512
void halfband(const float x[N], float y[N / 2], const float h[7])
{
  float z[7] = {0};
  for (int n = 0; n < N / 2; n++) {
    for (int p = 0; p < 2; p++) {
      for (int k = 6; k > 0; k--) z[k] = z[k - 1];
      z[0] = x[2 * n + p];
    }
    float s = 0;
    for (int k = 0; k < 7; k++) s += z[k] * h[k];
    y[n] = s;
  }
}
