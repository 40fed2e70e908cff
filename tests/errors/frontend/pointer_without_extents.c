void f(const float *A, const int at[20], float *B, const int *C)
{
  for (int i = 0; i < 20; i++)
    B[i] = A[at[i]] + C[i];
}
