void f(float A[10][5])
{
  for (int i = 0; i < 10; i++)
    A[i][5] = A[-1][0] + A[9][4];
  A[10][0] = 0.0f;
}
