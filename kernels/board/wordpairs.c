/* The least edits between each of 4,096 pairs of words of 128 and 150 letters, two rows that change places. */

#define B 4096
#define N 128
#define M 150
void kernel_wordpairs(const unsigned char a[B][N], const unsigned char b[B][M], unsigned char out[B]) {
  for (int s = 0; s < B; s++) {
    unsigned char first[M + 1], second[M + 1];
    unsigned char *last = first, *next = second;
    for (int j = 0; j <= M; j++) last[j] = j;
    for (int i = 1; i <= N; i++) {
      next[0] = i;
      for (int j = 1; j <= M; j++) {
        unsigned char least = last[j - 1] + (a[s][i - 1] != b[s][j - 1]);
        if (last[j] + 1 < least) least = last[j] + 1;
        if (next[j - 1] + 1 < least) least = next[j - 1] + 1;
        next[j] = least;
      }
      unsigned char *t = last;
      last = next;
      next = t;
    }
    out[s] = last[M];
  }
}
