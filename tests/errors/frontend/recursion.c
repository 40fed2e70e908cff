void f(int n, float A[10])
{
  for (int i = 0; i < 10; i++)
    A[i] *= 2.0f;
  f(n - 1, A);
}
/* args: --param n=3 */
