#include "sizes.h"
#include <vendor_types.h>

void f(float A[N])
{
  for (int i = 0; i < N; i++)
    A[i] = 0.0f;
}
