void f(int index[10], float A[100], float y[10])
{
  for (int i = 0; i < 10; i++)
    y[i] = A[index[i]];
}
