void f(float A[10], float B[10])
{
  for (int i = 0; i < 10; i++) {
    if (i > 8)
      goto done;
    B[i] = 0.0f;
    for (int j = 0; j < 10; j++)
      if (B[j] > A[i])
        return;
  }
done:
  A[0] = 1.0f;
}
