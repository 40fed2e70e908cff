/* How often the first one runs, and where the second begins, data say; the third one may begin beyond its end, but runs once even so. */
void f(float A[10])
{
  int low = 0, high = 10;
  while (low < high) {
    int middle = (low + high) / 2;
    if (A[middle] < 0.5f)
      low = middle + 1;
    else
      high = middle;
  }
  while (low < 10)
    A[low++] = 1.0f;
  for (int k = 0; k < 10; k++) {
    int i = k;
    do {
      A[i] = 0.0f;
      i++;
    } while (i < 5);
  }
}
