void f(float A[10])
{
  for (static int k = 0; k < 10; k++)
    A[k] = 0.0f;
}
