/* What the left side of `&&` and `||` keeps the right side from reading. */
void short_circuit(float a[20], float b[20], int c[20], int d[20])
{
  for (int i = 0; i < 20; i++) {
    int fresh = i == 0 || a[i] != a[i - 1];
    c[i] = fresh;
    if (i < 19 && a[i + 1] > a[i])
      b[i] = a[i + 1];
    d[i] = (i > 0 && a[i - 1] > 0) ? 3 : !(i < 16 && a[i + 4] > 1.0f);
    if (!(i == 0 || a[i - 1] == 0.0f))
      b[i] += 1;
  }
}
