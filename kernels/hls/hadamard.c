/* Walsh-Hadamard transform in place: butterflies whose partners differ by one bit of the counter. */
#include <stdint.h>
#define N 32
void hadamard(int32_t a[N])
{
  for (int h = 1; h < N; h <<= 1)
    for (int i = 0; i < N; i++) {
      int l = i ^ h;
      if (i < l) {
        int32_t x = a[i], y = a[l];
        a[i] = x + y;
        a[l] = x - y;
      }
    }
}
