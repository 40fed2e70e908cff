static void f(float A[10], float B[10])
{
  for (int i = 0; i < 9; i++)
    A[i] = B[i + 1];
}

int main(void)
{
  float x[10] = {0};
  f(x, x);
  return 0;
}
