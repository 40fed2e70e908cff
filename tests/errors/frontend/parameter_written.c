void f(int n, float A[n])
{
  n = n - 1;
  for (int i = 0; i < n; i++)
    A[i] = 0.0f;
}
/* args: --param n=10 */
