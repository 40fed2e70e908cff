#include "endless_include.c"

void f(float A[4])
{
  for (int i = 0; i < 4; i++)
    A[i] = 0.0f;
}
