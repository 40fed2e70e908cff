void f(const float A[][20], const int at[10], float y[10])
{
  for (int i = 0; i < 10; i++)
    y[i] = A[at[i]][0];
}
