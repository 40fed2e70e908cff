float f(float A[10])
{
  float s = 0.0f;
  for (int i = 0; i < 10; i++)
    s += A[i];
  if (s > 0.0f)
    return s;
}
