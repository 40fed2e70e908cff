void f(float A[10])
{
  float t[10], sum;
  for (int i = 1; i < 10; i++)
    t[i] = A[i];
  for (int i = 0; i < 10; i++)
    sum += t[i];
  A[0] = sum;
}
