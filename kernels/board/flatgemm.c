/* A matrix product of 512 x 512 over pointers, rows by arithmetic on subscripts. args: --extent A=262144 --extent B=262144 --extent C=262144 */

#define M 512
#define N 512
#define K 512
void kernel_flatgemm(const float *A, const float *B, float *C) {
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      float acc = 0.0f;
      for (int k = 0; k < K; k++) acc += A[i * K + k] * B[k * N + j];
      C[i * N + j] = 1.5f * acc + 0.5f * C[i * N + j];
    }
}
