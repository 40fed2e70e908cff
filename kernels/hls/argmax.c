/* The largest of N scores and its place, the first of several. */
#define N 1024

void argmax(const float score[N], int place[1], float value[1])
{
  float best = score[0];
  int at = 0;
  for (int i = 1; i < N; i++)
    if (score[i] > best) {
      best = score[i];
      at = i;
    }
  place[0] = at;
  value[0] = best;
}
