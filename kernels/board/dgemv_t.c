/* A transposed matrix of doubles times a vector, 1,024 x 512. */

#define M 1024
#define N 512
void kernel_dgemv_t(double alpha, const double A[M][N], const double x[M], double beta, double y[N]) {
  for (int j = 0; j < N; j++) y[j] *= beta;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) y[j] += alpha * A[i][j] * x[i];
}
