/* The longest common subsequence of 1,000 and 1,200 numbers, two rows of its table at a time. */

#define N 1000
#define M 1200
void kernel_subsequence(const short a[N], const short b[M], int out[1]) {
  int prev[M + 1], cur[M + 1];
  for (int j = 0; j <= M; j++) prev[j] = 0;
  for (int i = 0; i < N; i++) {
    cur[0] = 0;
    for (int j = 0; j < M; j++)
      cur[j + 1] = a[i] == b[j] ? prev[j] + 1 : (prev[j + 1] > cur[j] ? prev[j + 1] : cur[j]);
    for (int j = 0; j <= M; j++) prev[j] = cur[j];
  }
  out[0] = prev[M];
}
