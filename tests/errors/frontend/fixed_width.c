#include <sisy_types.h>
void f(sisy_int12 a[8], sisy_int12 b[8], sisy_uint5 c[8]) {
  for (int i = 0; i < 8; i++) {
    b[i] = a[i] + 1;
    c[i] += a[i] > 0;
  }
}
