/* Odd-even transposition sort of 32 numbers. */
#define N 32

void odd_even_sort(int a[N])
{
  for (int t = 0; t < N / 2; t++)
    for (int odd = 0; odd < 2; odd++)
      for (int i = odd; i + 1 < N; i += 2)
        if (a[i] > a[i + 1]) {
          int s = a[i];
          a[i] = a[i + 1];
          a[i + 1] = s;
        }
}
