/* Parameters that callers in the file agree on, and extents that only they know. */

#define ROWS 4

static void parameters(const int n, int m, float (*A)[5], float B[][n], const float C[restrict static 3],
                       double scale, int offset, unsigned char level)
{
  int half = n / 2;
  for (int i = 0; i < m; i++)
    for (int j = half; j < n; j++)
      A[i][j] = B[i][j - half] * scale + C[2] * n + offset + level - m;
}

int main(void)
{
  enum { LENGTH = 5 };
  static float a[ROWS][5], b[ROWS][LENGTH], c[3];
  const int n = LENGTH;
  parameters(n, ROWS, a, b, c, 0.5, 7, 200);
  return a[0][0] > 0;
}
