void f(float A[100])
{
  for (int i = 0; i < 10; i++)
    for (int j = 0; j < i * i; j++)
      A[j] = 1.0f;
}
