void f(float A[10])
{
  static int calls = 0;
  calls++;
  for (int i = 0; i < 10; i++)
    A[i] = calls;
}
