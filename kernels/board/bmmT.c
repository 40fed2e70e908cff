/* A batch of 8 products of 128 x 64 matrices with transposed ones, scaled. */

#define B 8
#define N 128
#define D 64
void kernel_bmmT(const float Q[B][N][D], const float K[B][N][D], float S[B][N][N]) {
  for (int b = 0; b < B; b++) for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {
    S[b][i][j] = 0;
    for (int d = 0; d < D; d++) S[b][i][j] += Q[b][i][d] * K[b][j][d];
    S[b][i][j] *= 0.125f;
  }
}
