void f(float A[10])
{
  for (unsigned i = 9; i >= 0; i--)
    A[i] = 0.0f;
}
