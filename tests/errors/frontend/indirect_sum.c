void kernel(const int index[50], const int A[64], int y[50])
{
  for (int i = 0; i < 50; i++)
    y[i] = A[index[i] + 1];
}
