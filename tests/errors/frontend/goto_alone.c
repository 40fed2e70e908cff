void f(float A[10])
{
again:
  A[0] *= 2.0f;
  if (A[0] < 10.0f)
    goto again;
}
