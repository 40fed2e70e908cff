void f(n, A)
int n;
float A[10];
{
  for (int i = 0; i < 10; i++)
    A[i] = 0.0f;
}
/* args: --function f */
