void f(float alpha, float A[10][10], float B[10])
{
  for (int i = 0; i < 10; i++) {
    A[i] = B[i];
    B[i] = A[i][i][i] + alpha[i];
  }
}
