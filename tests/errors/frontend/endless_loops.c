void f(float A[10])
{
  for (int i = 0;; i++)
    A[0] = i;
  for (int i = 0; i >= 0; i++)
    A[0] = i;
  for (int i = 0; i < 10; i--)
    A[0] = i;
  for (int i = 10; i != 5; i++)
    A[0] = i;
}
