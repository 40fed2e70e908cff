void note(const char *format, float x);

float smooth(float x);
static void clear(float A[10]) { A[0] = 0.0f; }

void f(float A[10])
{
  clear(A);
  for (int i = 0; i < 10; i++) {
    A[i] = smooth(A[i]);
    note("%f", A[i]);
  }
}
