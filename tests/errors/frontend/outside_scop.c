void note(const char *format, float x);
#include <sys/time.h>

void f(float A[10])
{
  struct timeval before;
  gettimeofday(&before, 0);
#pragma scop
  for (int i = 0; i < 10; i++)
    A[i] *= 2.0f;
#pragma endscop
  note("%f", A[0]);
}
