void f(int n, float A[10])
{
  A[0] += 1.0f;
  f(n - 1, A);
}
