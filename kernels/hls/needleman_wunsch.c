/* Scores of the global alignment of two sequences. */
#include <stdint.h>

#define N 48
#define GAP 2

void needleman_wunsch(const char a[N], const char b[N], int16_t score[N + 1][N + 1])
{
  for (int i = 0; i <= N; i++) {
    score[i][0] = -GAP * i;
    score[0][i] = -GAP * i;
  }
  for (int i = 1; i <= N; i++)
    for (int j = 1; j <= N; j++) {
      int best = score[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 1 : -1);
      if (score[i - 1][j] - GAP > best)
        best = score[i - 1][j] - GAP;
      if (score[i][j - 1] - GAP > best)
        best = score[i][j - 1] - GAP;
      score[i][j] = best;
    }
}
