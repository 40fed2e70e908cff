/* A product of 512 x 768 and 768 x 512 matrices of bytes with zero points, requantised to bytes. */

#include <stdint.h>
void kernel_zeropoints(const int8_t a[512][768], const int8_t b[768][512], const int32_t bias[512],
                       const int32_t mult[512], int8_t y[512][512])
{
    for (int i = 0; i < 512; i++)
        for (int j = 0; j < 512; j++) {
            int32_t s = bias[j];
            for (int k = 0; k < 768; k++)
                s += (a[i][k] - 3) * (b[k][j] + 5);
            int32_t t = (int32_t)(((int64_t)s * mult[j]) >> 31) + 7;
            t = t > 127 ? 127 : t;
            t = t < -128 ? -128 : t;
            y[i][j] = (int8_t)t;
        }
}
