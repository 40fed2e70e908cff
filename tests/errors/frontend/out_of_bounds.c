void f(float A[100], float B[100])
{
  for (int i = 0; i < 100; i++)
    A[i] = B[i + 1] - B[i - 1];
}
