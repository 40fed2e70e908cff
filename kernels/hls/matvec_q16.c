/* Matrix times vector in fixed point by the types of sisy_types.h, 6 bits before the point and 10 behind it. */
#include <sisy_types.h>

#define M 48
#define N 64

void matvec_q16(const sisy_fixed16_6 A[M][N], const sisy_fixed16_6 x[N], sisy_fixed16_6 y[M])
{
  for (int i = 0; i < M; i++) {
    long long sum = 0;
    for (int j = 0; j < N; j++)
      sum += (int)A[i][j] * x[j];
    y[i] = sisy_fixed16_6_saturate(sum >> 10);
  }
}
