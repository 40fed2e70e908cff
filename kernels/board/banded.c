/* A matrix with 17 diagonals, kept by rows, times a vector. */

#define N 16384
#define B 8
void kernel_banded(const float a[N][2 * B + 1], const float x[N + 2 * B], float y[N]) {
  for (int i = 0; i < N; i++) {
    y[i] = 0;
    for (int k = 0; k < 2 * B + 1; k++) y[i] += a[i][k] * x[i + k];
  }
}
