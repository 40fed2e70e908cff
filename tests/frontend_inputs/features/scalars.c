/* Scalars that are privatised in blocks, shadowed, chained, stepped, copied from arguments; tables and initialisers. */

#define N 6

static const float weights[3] = {0.25f, 0.5f, 0.25f};
static const int order[] = {2, 0, 1};
static const int TAPS = 3;
static const double half = 1 / 2.0;

void scalars(int n, float gain, int bias, float A[N], double D[N], int C[N], float out[2][2])
{
  float acc, last = 0;
  double twice;
  int whole = 0;
  float small[4] = {1, 2.5}, grid[2][3] = {{1.0f, 2.0f}, {0.5f}}, none[N] = {0};
  gain *= 2.0;
  bias++;
  for (int i = 0; i < n; i++) {
    float acc = A[i];
    for (int t = 0; t < TAPS; t++) {
      const int at = i + t - 1;
      if (at >= 0 && at < n)
        acc += weights[t] * A[at] * order[t];
    }
    {
      double acc = D[i] + half;
      D[i] = acc * gain;
    }
    none[i] += acc;
    last = twice = whole = acc + D[i];
    whole -= last;
    --whole;
    C[i] += whole + bias;
    C[i] = D[i] = A[i] *= 1.5;
  }
  acc = last;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      out[i][j] = small[2 * i + j] + grid[j][i + 1] + none[i] + acc + twice;
}
/* args: --param n=6 */
