void f(float A[10])
{
  for (int i = 0; i < 10; i++)
    switch (i) {
    case 0:
      if (A[i] > 0.0f) {
    case 1:
        A[i] = 1.0f;
      }
    }
}
