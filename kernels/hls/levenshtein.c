/* Edit distance of two words with two rows only. */
#define N 32

void levenshtein(const char a[N], const char b[N], int distance[1])
{
  int row[N + 1], next[N + 1];
  for (int j = 0; j <= N; j++)
    row[j] = j;
  for (int i = 0; i < N; i++) {
    next[0] = i + 1;
    for (int j = 0; j < N; j++) {
      int d = row[j] + (a[i] != b[j]);
      if (row[j + 1] + 1 < d)
        d = row[j + 1] + 1;
      if (next[j] + 1 < d)
        d = next[j] + 1;
      next[j + 1] = d;
    }
    for (int j = 0; j <= N; j++)
      row[j] = next[j];
  }
  distance[0] = row[N];
}
