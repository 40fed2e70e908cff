void f(float A[10])
{
  int i, j;
  for (i = 0, j = 0; i < 10; i++, j++)
    A[i] = A[j];
  A[0] = j;
  for (; i < 10; i++)
    A[i] = 0.0f;
  for (i = 1; i < 10; i *= 2)
    A[i] = 0.0f;
  for (float x = 0; x < 10; x++)
    A[0] = x;
  for (i = 0; i != 7; i += 2)
    A[i] = 0.0f;
}
