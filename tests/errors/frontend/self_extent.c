void f(float A[A], float B[n], int n)
{
  float t = t + 1.0f;
  int m[m];
  for (int i = 0; i < 10; i++)
    A[i] = t + m[i];
}
/* args: --param n=10 */
