void f(const float x[64], float y[64], float a[2][64])
{
  float ring[64];
  for (int i = 0; i < 64; i++) {
    ring[i % 64] = x[i];
    for (int k = 0; k < 64; k++)
      y[i] += ring[(37 * i + k) % 64];
  }
  for (int t = 0; t < 10; t++)
    for (int i = 1; i < 63; i++)
      a[i * t % 2][i] = a[t % 2][i - 1] + a[t % 2][i + 1];
}
