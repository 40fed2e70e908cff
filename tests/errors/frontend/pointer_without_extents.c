void f(int n, float *A, const float *B)
{
  for (int i = 0; i < n; i++)
    A[i] = B[i];
}
