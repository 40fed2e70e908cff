void f(float A[10])
{
  for (int i = 0; i < 10; i++) {
    A[i] = alpha * B[i];
    C[i] = sqrtf(A[i]);
  }
  for (j = 0; j < 10; j++)
    A[j] = 0.0f;
}
