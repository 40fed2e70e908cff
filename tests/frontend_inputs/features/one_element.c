/* Pointers to one number, and statements joined by commas. */
void one_element(const float A[10], float *sum, int *count, const float *scale, float B[10])
{
  *sum = 0.0f, *count = 0;
  for (int i = 0; i < 10; i++) {
    *sum += A[i] * *scale;
    if (A[i] > scale[0])
      (*count)++;
    B[i] = A[i] * 2.0f, B[i] += *scale;
  }
}
