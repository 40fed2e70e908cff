void f(float A[10])
{
  int i;
  for (i = 0; i < 9; i++)
    A[i] = 0.0f;
  A[i] = 1.0f;
  A[0] = i;
}
