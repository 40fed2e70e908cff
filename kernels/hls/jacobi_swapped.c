/* Ten Jacobi steps between two buffers whose pointers change places after each. */
#define N 64
#define T 10
void jacobi_swapped(float a[N][N], float b[N][N])
{
  float (*src)[N] = a, (*dst)[N] = b;
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        dst[i][j] = 0.25f * (src[i-1][j] + src[i+1][j] + src[i][j-1] + src[i][j+1]);
    float (*tmp)[N] = src; src = dst; dst = tmp;
  }
}
