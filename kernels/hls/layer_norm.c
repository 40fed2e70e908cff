/* Layer normalisation of every row, with gain and bias. */
#include <math.h>

#define ROWS 16
#define N 64

static float mean(const float x[N])
{
  float sum = 0.0f;
  for (int i = 0; i < N; i++)
    sum += x[i];
  return sum / N;
}

void layer_norm(const float x[ROWS][N], const float gain[N], const float bias[N], float y[ROWS][N])
{
  for (int r = 0; r < ROWS; r++) {
    float m = mean(x[r]), v = 0.0f;
    for (int i = 0; i < N; i++)
      v += (x[r][i] - m) * (x[r][i] - m);
    float scale = 1.0f / sqrtf(v / N + 1e-5f);
    for (int i = 0; i < N; i++)
      y[r][i] = (x[r][i] - m) * scale * gain[i] + bias[i];
  }
}
