void f(float A[10], float B[10])
{
  int k = 0;
  for (int i = 0; i < 10; i++) {
    A[i] = B[k++];
    A[i] = (B[i] = 1.0f) + 2.0f;
    A[i] = B[i]++ * 2.0f;
  }
}
