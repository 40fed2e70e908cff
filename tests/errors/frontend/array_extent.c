void f(int n, float A[0], float B[2.5f])
{
  float t[-3];
  for (int i = 0; i < 10; i++)
    t[i] = A[i];
}
