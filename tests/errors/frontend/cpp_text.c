#include <stdint.h>
#include <ap_int.h>

void f(ap_int<12> a[10])
{
  for (int i = 0; i < 10; i++)
    a[i] += 1;
}
