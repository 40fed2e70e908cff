void f(float A[10])
{
  int i = 0;
  while (A[i] > 1.0f) {
    A[i] *= 0.5f;
  }
}
int main(void) { return 0; }
