void f(const float x[64], float y[64], float a[2][64])
{
  float ring[16];
  for (int i = 0; i < 64; i++) {
    ring[i % 16] = x[i];
    y[i] = 0.5f * ring[i % 16];
  }
  for (int t = 0; t < 10; t++)
    for (int i = 1; i < 63; i++)
      a[(t + 1) % 2][i] = a[t % 2][i - 1] + a[t % 2][i + 1];
}
