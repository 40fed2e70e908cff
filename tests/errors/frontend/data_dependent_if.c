void f(float A[10], float B[10])
{
  for (int i = 0; i < 10; i++) {
    if (A[i] > 0.5f)
      B[i] = A[i];
    else
      B[i] = 0.0f;
  }
}
