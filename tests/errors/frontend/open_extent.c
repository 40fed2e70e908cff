void f(float A[][20], float (*B)[20])
{
  for (int i = 0; i < 10; i++)
    for (int j = 0; j < 20; j++)
      A[i][j] = B[i][j];
}
