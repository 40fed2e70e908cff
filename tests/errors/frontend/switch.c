void f(float A[10])
{
  for (int i = 0; i < 10; i++)
    switch (i) {
    case 0:
      A[i] = 1.0f;
      break;
    default:
      A[i] = 0.0f;
    }
}
