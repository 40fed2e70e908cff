void clear(float A[10])
{
  for (int i = 0; i < 10; i++)
    A[i] = 0.0f;
}
void kernel_f(float A[10])
{
  int i = 0;
  while (A[i] > 1.0f)
    A[i] *= 0.5f;
}
