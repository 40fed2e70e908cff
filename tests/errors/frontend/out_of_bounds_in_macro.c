#define AT(x, k) x[(k) + 1]

void f(float A[10], float B[10])
{
  for (int i = 0; i < 10; i++)
    B[i] = 2.0f * AT(A, i);
}
