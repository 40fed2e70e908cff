void f(float A[10], char name[10])
{
  for (int i = 0; i < 10; i++) {
    A[i] = 1.5L;
    A[i] = sizeof A;
    name[i] = "text";
  }
}
