static const int LIMIT = 3;

void f(const float A[10], float B[10])
{
  const float half = 0.5f;
  half = 0.25f;
  LIMIT = 4;
  for (int i = 0; i < 10; i++) {
    A[i] = B[i];
    B[i] = half;
  }
}
