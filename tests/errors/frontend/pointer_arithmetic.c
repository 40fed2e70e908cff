void f(float A[10], float B[10], float out[1])
{
  for (int i = 0; i < 10; i++)
    *(A + i) = *(B + i) * 2.0f;
  *out = A[0];
  out[0] = *&A[1];
}
