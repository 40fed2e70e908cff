void f(float A[10], float B[10])
{
  for (int i = 0; i < 10; i++) {
again:
    B[i] = 0.5f * B[i] + A[i];
    if (B[i] > 8.0f)
      goto again;
  }
}
