void f(int n, float A[10], float B[10], int idx[10])
{
  for (int i = 0; i < n; i++)
    A[i * i] = B[idx[i]] + unknown;
  while (n > 0)
    n--;
  B[10] = A[11];
}
