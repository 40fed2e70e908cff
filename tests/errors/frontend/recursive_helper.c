static float power(float x) { return x * power(x); }

void f(float A[10])
{
  for (int i = 0; i < 10; i++)
    A[i] = power(A[i]);
}
