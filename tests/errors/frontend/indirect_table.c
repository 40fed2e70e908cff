/* A table is read by data only where the subscript stays inside of it. */
static const float lut[64] = {1, 2, 3};
static const int map[4] = {1, 2};

void f(const int x[10], const unsigned char u[10], float y[10], float A[10])
{
  for (int i = 0; i < 10; i++) {
    y[i] = lut[x[i]] + lut[u[i]];
    y[i] += A[map[i]];
    y[i] += lut[i * 7];
    lut[i] = 0;
  }
}
