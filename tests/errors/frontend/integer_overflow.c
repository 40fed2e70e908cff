#define BIG 2147483647
void f(float A[10], int B[10])
{
  for (int i = 0; i < BIG + 1; i++)
    A[0] = 0.0f;
  for (int i = 0; i < 10; i++)
    B[i] = 1000000000 * i;
}
