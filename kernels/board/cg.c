/* 16 steps of conjugate gradients with a dense matrix of 512 x 512. */

#define N 512
#define IT 16
void kernel_cg(const float A[N][N], const float b[N], float x[N]) {
  float r[N], p[N], q[N];
  float rs = 0;
  for (int i = 0; i < N; i++) { x[i] = 0; r[i] = b[i]; p[i] = b[i]; rs += b[i] * b[i]; }
  for (int it = 0; it < IT; it++) {
    float pq = 0;
    for (int i = 0; i < N; i++) {
      q[i] = 0;
      for (int j = 0; j < N; j++) q[i] += A[i][j] * p[j];
      pq += p[i] * q[i];
    }
    float al = rs / pq, rn = 0;
    for (int i = 0; i < N; i++) { x[i] += al * p[i]; r[i] -= al * q[i]; rn += r[i] * r[i]; }
    float be = rn / rs;
    for (int i = 0; i < N; i++) p[i] = r[i] + be * p[i];
    rs = rn;
  }
}
