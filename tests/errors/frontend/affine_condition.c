void f(float A[10][10])
{
  for (int i = 0; i < 10; i++)
    for (int j = 0; j < 10; j++)
      if (i * j < 20)
        A[i][j] = 0.0f;
}
