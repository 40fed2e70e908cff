/* A cascade of second-order recursive filters, one after another in each sample. */
#define N 256
#define SECTIONS 3

void iir_biquad(const float x[N], float y[N], const float c[SECTIONS][5])
{
  float z[SECTIONS][2] = {{0}};
  for (int n = 0; n < N; n++) {
    float v = x[n];
    for (int s = 0; s < SECTIONS; s++) {
      float w = v * c[s][0] + z[s][0];
      z[s][0] = v * c[s][1] - w * c[s][3] + z[s][1];
      z[s][1] = v * c[s][2] - w * c[s][4];
      v = w;
    }
    y[n] = v;
  }
}
