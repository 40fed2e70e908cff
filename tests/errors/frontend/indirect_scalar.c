void f(int first, float A[100], float y[10])
{
  int at = 0;
  for (int i = 0; i < 10; i++) {
    at = (5 * at + first) % 7;
    y[i] = A[at];
  }
}
