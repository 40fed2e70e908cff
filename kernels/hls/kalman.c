/* Kalman filter of a scalar with a constant model, its steps skipped where no measurement came. */
#define N 128

void kalman(const float z[N], const int valid[N], float x[N], float q, float r)
{
  float state = 0.0f, p = 1.0f;
  for (int n = 0; n < N; n++) {
    p += q;
    if (valid[n]) {
      float k = p / (p + r);
      state += k * (z[n] - state);
      p *= 1.0f - k;
    }
    x[n] = state;
  }
}
