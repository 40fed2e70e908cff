/* Loops in every direction, with every comparison, every step, and bounds by minimum and maximum. */

#define N 12
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) >= (b) ? (a) : (b))

void loops(float A[N][N], float B[N], int C[N][N])
{
  int i = 7, j = 0, k;
  for (i = N - 1; i >= 0; i--)
    for (j = i; j > 0; --j)
      A[i][j] = A[i][j] * 0.5f + A[i][j - 1] * i;
  for (i = 0; i < N; i += 3)
    for (j = i; N > j; j = j + 2)
      A[j][i] += B[j] * (i + 2 * j);
  for (i = 10; 1 < i; i -= 4)
    for (j = 2 * i - 9; j <= 2 * i - 9 + 6 && j < N; j += 2)
      B[i] += j;
  for (i = 0; i != N; i++)
    for (j = MAX(i - 2, 0); j < MIN(i + 3, N); j++)
      C[i][j] = C[i][j] * 10 + j;
  for (i = 0; i <= N - 2; i++)
    for (j = N - 1; j >= i + 1 && j >= 4; j--)
      C[j][i] -= i - j;
  for (i = MIN(N - 1, 9); i != 0; i--)
    B[i] = B[i] + B[i - 1];
  for (int t = 0; t < 3; t++) {
    for (int i = 1; i < N - 1; i++)
      B[i] = 0.25f * (B[i - 1] + B[i + 1]);
    for (int i = N - 2; i >= 1; i -= 1)
      B[i] = B[i] - B[i + 1] * t;
  }
  for (i = 0; i < N; i++)
    for (j = 0; j < i; j++)
      for (k = j; k < i + j && k < N; k += 5)
        A[i][k] -= A[j][k] * k;
  for (i = 8; i >= 2; i -= 2)
    for (j = i; j >= 0; j -= 2)
      C[i][j] += 3 * i - j;
  for (long m = 0; m < N / 2; m = 1 + m)
    A[m][2 * m] = m * m;
  for (i = 0; i < N; i++) {
    for (j = i > 3 ? i : 4; j < (i < 9 ? i + 2 : 10); j++)
      A[i][j] *= 2;
    for (j = MAX(MAX(0, i - 4), 2); j <= MIN(MIN(i, 8), 2 * i - 3); j++)
      C[i][j] += 1;
  }
  for (short q = 0; q < 3; q++)
    B[q + q] = q;
}
