void f(float A[10])
{
  int i = 0;
  while (i < 10) {
    A[i] = 0.0f;
    i++;
  }
}
int main(void) { return 0; }
