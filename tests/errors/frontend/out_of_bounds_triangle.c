#define N 20
void f(float A[N][N])
{
  for (int i = 0; i < N; i++)
    for (int j = i; j < N; j++)
      A[i][i + j] = 0.0f;
}
