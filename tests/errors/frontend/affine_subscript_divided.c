void f(float A[110], float B[200])
{
  for (int i = 0; i < 10; i++)
    for (int j = 0; j < 200; j++)
      A[(31 * i + 31 * j) / 64] = B[j];
}
