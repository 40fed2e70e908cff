static void f(int n, float A[n])
{
  for (int i = 0; i < n; i++)
    A[i] = 0.0f;
}

int main(void)
{
  float x[10], y[20];
  f(10, x);
  f(20, y);
  return 0;
}
