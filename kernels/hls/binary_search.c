/* Binary search: the next place to look at is data. */
#define N 256
#define QUERIES 16

void binary_search(const int sorted[N], const int query[QUERIES], int place[QUERIES])
{
  for (int q = 0; q < QUERIES; q++) {
    int low = 0, high = N;
    while (low < high) {
      int middle = (low + high) / 2;
      if (sorted[middle] < query[q])
        low = middle + 1;
      else
        high = middle;
    }
    place[q] = low;
  }
}
