#ifndef DATASET
#error choose a data set
#endif
#frobnicate

void f(float A[10])
{
  for (int i = 0; i < 10; i++)
    A[i] = 0.0f;
}
