void f(float A[10], float B[10])
{
  for (int i = 0; i < 10; i++) {
    A[i] = 0.0f, B[i] = 1.0f;
    A[i] = (B[i], 2.0f);
  }
}
