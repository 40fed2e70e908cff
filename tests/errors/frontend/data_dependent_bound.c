void f(int start[11], float A[100], float y[10])
{
  for (int i = 0; i < 10; i++)
    for (int k = start[i]; k < start[i + 1]; k++)
      y[i] += A[k];
}
