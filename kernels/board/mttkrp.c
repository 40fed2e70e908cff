/* A tensor of 128 x 64 x 64 times the Khatri-Rao product of two factors of rank 32. */

#define I 128
#define J 64
#define K 64
#define R 32
void kernel_mttkrp(float A[I][R], const float T[I][J][K], const float B[J][R], const float C[K][R]) {
  for (int i = 0; i < I; i++)
    for (int r = 0; r < R; r++) A[i][r] = 0;
  for (int i = 0; i < I; i++)
    for (int j = 0; j < J; j++)
      for (int k = 0; k < K; k++)
        for (int r = 0; r < R; r++)
          A[i][r] += T[i][j][k] * B[j][r] * C[k][r];
}
