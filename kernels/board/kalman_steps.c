/* 64 steps of each of 512 Kalman filters of 6 states, with predictions in local matrices. */

#define B 512
#define T 64
#define N 6
void kernel_kalman_steps(const float F[N][N], const float Q[N][N], const float z[B][T], float x[B][N], float P[B][N][N]) {
  for (int b = 0; b < B; b++)
    for (int t = 0; t < T; t++) {
      float y[N], G[N][N], M[N][N];
      for (int i = 0; i < N; i++) {
        y[i] = 0;
        for (int k = 0; k < N; k++) y[i] += F[i][k] * x[b][k];
        for (int j = 0; j < N; j++) {
          G[i][j] = 0;
          for (int k = 0; k < N; k++) G[i][j] += F[i][k] * P[b][k][j];
        }
      }
      for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
          M[i][j] = Q[i][j];
          for (int k = 0; k < N; k++) M[i][j] += G[i][k] * F[j][k];
        }
      float e = z[b][t] - y[0];
      float s = 1.0f / (M[0][0] + 0.1f);
      for (int i = 0; i < N; i++) {
        x[b][i] = y[i] + M[i][0] * s * e;
        for (int j = 0; j < N; j++) P[b][i][j] = M[i][j] - M[i][0] * s * M[0][j];
      }
    }
}
