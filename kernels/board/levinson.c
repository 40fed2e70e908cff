/* Coefficients of linear prediction of order 64. */

#define P 64
void kernel_levinson(const float r[P + 1], float a[P + 1], float *err) {
  float tmp[P + 1];
  float e = r[0];
  for (int i = 0; i <= P; i++) a[i] = 0;
  a[0] = 1.0f;
  for (int i = 1; i <= P; i++) {
    float k = 0;
    for (int j = 0; j < i; j++) k += a[j] * r[i - j];
    k = -k / e;
    for (int j = 0; j <= i; j++) tmp[j] = a[j] + k * a[i - j];
    for (int j = 0; j <= i; j++) a[j] = tmp[j];
    e = e * (1.0f - k * k);
  }
  *err = e;
}
