void f(float A[100], float B[10])
{
  for (int i = 0; i < 10; i++)
    for (int j = 0; j < 10; j++)
      A[i*j] = B[i];
}
