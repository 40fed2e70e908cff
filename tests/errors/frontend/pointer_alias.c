void f(float A[10], float B[10], float C[10])
{
  float *p = A, *q;
  const float *r = B + 2;
  for (int i = 0; i < 8; i++) {
    *p = *r++;
    if (r != B + 9)
      p++;
  }
}
