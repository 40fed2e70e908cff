void f(float A[10], float B[10])
{
  for (int i = 0; i < 10; i++)
    A[i / 2] = A[i % 5];
}
