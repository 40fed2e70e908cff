void f(float *A, int n)
{
  float *end = A + n;
  while (A != end)
    *A++ = 0.0f;
}
