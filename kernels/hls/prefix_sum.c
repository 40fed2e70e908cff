/* Inclusive prefix sum of integers. */
#define N 1024

void prefix_sum(const int in[N], int out[N])
{
  int sum = 0;
  for (int i = 0; i < N; i++) {
    sum += in[i];
    out[i] = sum;
  }
}
