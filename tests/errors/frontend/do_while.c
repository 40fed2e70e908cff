void f(float A[10])
{
  for (int i = 0; i < 10; i++)
    do
      A[i] *= 0.5f;
    while (A[i] > 1.0f);
}
