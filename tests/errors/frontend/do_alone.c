static void one(float A[10]) { A[0] = 1.0f; }
void f(float A[10])
{
  int i = 0;
  do {
    A[i] *= 0.5f;
  } while (A[i] > 1.0f);
}
