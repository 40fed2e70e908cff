void f(float A[10])
{
  for (int i = 0; i < 10; i++)
    if (i % 2 == 0)
      A[i] = 0.0f;
}
