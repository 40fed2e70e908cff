void f(float A[10], float B[10])
{
  for (int i = 0; i < 10; i++) {
    if (i == 5)
      continue;
    A[i] = B[i];
    if (i == 7)
      break;
  }
  for (int i = 0; i < 10; i++) {
    if (i > 8)
      goto done;
    B[i] = 0.0f;
  }
  return;
done:
  A[0] = 1.0f;
}
