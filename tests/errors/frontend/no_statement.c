void f(float A[10])
{
  for (int i = 0; i < 0; i++)
    A[i] *= 2.0f;
}
