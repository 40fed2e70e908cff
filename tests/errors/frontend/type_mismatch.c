void f(float A[10], int B[10])
{
  for (int i = 0; i < 10; i++) {
    A[i] = A[i] % 2.0f;
    B[i] = B[i] << 1.5f;
    B[i] = ~A[i];
  }
}
