void scale(float A[10])
{
  for (int i = 0; i < 10; i++)
    A[i] *= 2.0f;
}
/* args: --function shift */
