static float clip(float x)
{
  if (x < 0.0f)
    return 0.0f;
  return x;
}

void f(float A[10])
{
  for (int i = 0; i < 10; i++)
    A[i] = clip(A[i]);
}
