void f(int n, float A[n])
{
  for (int i = 0; i < n; i++)
    A[i] = 0.0f;
}
/* args: --param n=10 --param N=20 */
