extern int N;
volatile float table[10];
extern float scale;

void f(float A[10])
{
  for (int i = 0; i < N; i++)
    A[i] = scale * table[i];
  table[0] = A[0];
}
