void f(int s, float A[10])
{
  for (int i = 0; i < 10; i += 0)
    A[i] = 0.0f;
  for (int i = 1; i < 10; i++)
    for (int j = 0; j < 10; j += i)
      A[j] = 0.0f;
}
