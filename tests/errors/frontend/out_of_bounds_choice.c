void f(float A[10], float B[10])
{
  for (int i = 0; i < 10; i++)
    A[i] = i > 0 ? B[i - 1] : 0.0f;
}
