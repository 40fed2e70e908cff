void f(float A[10])
{
  int i;
  for (i = 0; i < 10; i++) {
    A[i] = 0.0f;
    i = i + 1;
    for (i = 0; i < 5; i++)
      A[i] = 1.0f;
  }
}
