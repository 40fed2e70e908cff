void f(float A[10], float B[10])
{
  float *p = A, *q;
  for (int i = 0; i < 10; i++) {
    *p = B[i];
    p++;
  }
}
