void f(float A[10], float A[10])
{
  float s = 0.0f;
  int s = 1;
  for (int i = 0; i < 10; i++)
    A[i] = s;
}
