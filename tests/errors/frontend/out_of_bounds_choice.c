/* Only a condition in terms of iterators says which side is read. */
void f(float A[10], float B[10], float x)
{
  for (int i = 0; i < 10; i++) {
    A[i] = i > 0 ? B[i - 1] : 0.0f;
    A[i] = x > 0 ? B[i - 1] : A[i > 4 ? i + 5 : i];
  }
}
