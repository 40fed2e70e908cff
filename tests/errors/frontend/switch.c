void f(float A[10])
{
  for (int i = 0; i < 10; i++)
    switch (i) {
    case 0:
      A[i] = 1.0f;
    default:
      A[i] += 2.0f;
    }
}
