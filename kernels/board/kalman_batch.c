/* 4,096 Kalman filters of 4 states and 2 measurements, one step each. */

#define B 4096
#define S 4
#define M 2
void kernel_kalman_batch(float x[B][S], float P[B][S][S], const float F[S][S], const float Q[S][S], const float H[M][S], const float R[M], const float z[B][M]) {
  for (int b = 0; b < B; b++) {
    float xn[S], T1[S][S], Pn[S][S];
    for (int i = 0; i < S; i++) { xn[i] = 0; for (int k = 0; k < S; k++) xn[i] += F[i][k] * x[b][k]; }
    for (int i = 0; i < S; i++) for (int j = 0; j < S; j++) { T1[i][j] = 0; for (int k = 0; k < S; k++) T1[i][j] += F[i][k] * P[b][k][j]; }
    for (int i = 0; i < S; i++) for (int j = 0; j < S; j++) { Pn[i][j] = Q[i][j]; for (int k = 0; k < S; k++) Pn[i][j] += T1[i][k] * F[j][k]; }
    for (int m = 0; m < M; m++) {
      float ph[S], s = R[m], e = z[b][m];
      for (int i = 0; i < S; i++) { ph[i] = 0; for (int k = 0; k < S; k++) ph[i] += Pn[i][k] * H[m][k]; }
      for (int i = 0; i < S; i++) { s += H[m][i] * ph[i]; e -= H[m][i] * xn[i]; }
      for (int i = 0; i < S; i++) xn[i] += ph[i] / s * e;
      for (int i = 0; i < S; i++) for (int j = 0; j < S; j++) Pn[i][j] -= ph[i] * ph[j] / s;
    }
    for (int i = 0; i < S; i++) { x[b][i] = xn[i]; for (int j = 0; j < S; j++) P[b][i][j] = Pn[i][j]; }
  }
}
