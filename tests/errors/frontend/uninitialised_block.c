void f(float A[10])
{
  for (int i = 0; i < 10; i++) {
    float last;
    if (i > 0)
      A[i] = last;
    last = A[i];
  }
}
