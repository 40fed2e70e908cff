#define ZERO (3 - 3)
void f(int A[100], unsigned B[100], float C[100])
{
  for (int i = 0; i < 100; i++) {
    A[i] = A[i] / 0;
    A[i] %= ZERO;
    A[i] = A[i] / i;
    B[i] = B[i] % (2 * i - 14);
    A[i] = A[i] / (i + 1) + A[i] % (2 * i - 13) + (i > 0 ? A[i] / i : 0);
    C[i] = C[i] / 0;
    if (i > 0)
      A[i] = A[i] / i;
  }
}
