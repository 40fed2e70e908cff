/* 20 rounds of scaling the rows and columns of a matrix of 256 x 256. */

#define N 256
#define IT 20
void kernel_sinkhorn(const float K[N][N], const float a[N], const float b[N], float u[N], float v[N]) {
  for (int i = 0; i < N; i++) v[i] = 1.0f;
  for (int it = 0; it < IT; it++) {
    for (int i = 0; i < N; i++) {
      float s = 0;
      for (int j = 0; j < N; j++) s += K[i][j] * v[j];
      u[i] = a[i] / s;
    }
    for (int j = 0; j < N; j++) {
      float s = 0;
      for (int i = 0; i < N; i++) s += K[i][j] * u[i];
      v[j] = b[j] / s;
    }
  }
}
