/* The power at 64 frequencies by the algorithm of Goertzel. */

#define N 4096
#define F 64
void kernel_goertzel(const float x[N], const float c[F], float p[F]) {
  for (int f = 0; f < F; f++) {
    float s1 = 0, s2 = 0;
    for (int n = 0; n < N; n++) {
      float s0 = x[n] + c[f] * s1 - s2;
      s2 = s1;
      s1 = s0;
    }
    p[f] = s1 * s1 + s2 * s2 - c[f] * s1 * s2;
  }
}
