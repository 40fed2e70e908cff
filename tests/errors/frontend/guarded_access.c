/* A condition on data guards no access: hardware may compute both sides. */
void f(float A[10], float B[10], int first)
{
  for (int i = 0; i < 10; i++) {
    if (first > 0)
      B[i] = A[i - 1];
    if (B[i] > 0.0f)
      A[i + 1] = B[i];
  }
}
