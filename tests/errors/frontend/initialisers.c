void f(float A[10])
{
  float a[2] = {1, 2, 3}, b[2][2] = {{1, 2}, 3}, c[4] = {[2] = 1.0f}, d[2] = 1;
  for (int i = 0; i < 2; i++)
    A[i] = a[i] + b[i][i] + c[i] + d[i];
}
