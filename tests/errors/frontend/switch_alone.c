void f(int n, float A[10])
{
  switch (n) {
    A[0] = 1.0f;
  case 1:
    A[1] = 1.0f;
    break;
  default:
    A[1] = 2.0f;
  }
}
