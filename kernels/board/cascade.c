/* A cascade of four recursive filters for 128 channels. */

#define C 128
#define N 4096
#define S 4
void kernel_cascade(const float x[C][N], const float b[S][3], const float a[S][2], float y[C][N]) {
  for (int c = 0; c < C; c++) {
    float z[S][2];
    for (int s = 0; s < S; s++) { z[s][0] = 0; z[s][1] = 0; }
    for (int n = 0; n < N; n++) {
      float v = x[c][n];
      for (int s = 0; s < S; s++) {
        float o = b[s][0] * v + z[s][0];
        z[s][0] = b[s][1] * v - a[s][0] * o + z[s][1];
        z[s][1] = b[s][2] * v - a[s][1] * o;
        v = o;
      }
      y[c][n] = v;
    }
  }
}
