/* Dot product of two vectors with four partial sums, as one writes it to shorten the chain of additions.
   args: --extent a=1024 --extent b=1024 --extent result=1 */
#define N 1024

void dot_product(const float *restrict a, const float *restrict b, float *restrict result)
{
  float part[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int i = 0; i < N; i += 4)
    for (int k = 0; k < 4; k++)
      part[k] += a[i + k] * b[i + k];
  *result = (part[0] + part[1]) + (part[2] + part[3]);
}
