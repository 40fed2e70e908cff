void f(float A[200])
{
  for (char i = 0; i < 200; i++)
    A[i] = 0.0f;
}
