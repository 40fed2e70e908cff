/* A polynomial of degree 16 at 8,192 places. */

#define N 8192
#define D 16
void kernel_horner(const float x[N], const float c[D + 1], float y[N]) {
  for (int i = 0; i < N; i++) {
    float s = c[D];
    for (int d = D - 1; d >= 0; d--) s = s * x[i] + c[d];
    y[i] = s;
  }
}
