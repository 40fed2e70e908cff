/* Faults inside of a function name its call; what it is given must fit. */
static void shift(float *x, int n)
{
  for (int i = 0; i < n; i++)
    x[i] = x[i + 1];
}

static void clear(float x[10])
{
  while (x[0] > 0)
    x[0] = 0;
}

static float take(float *x)
{
  *x += 1;
  return *x;
}

static void keep(const float *x) { x[0] = 1; }

void f(float A[10], double D[10], float M[4][10])
{
  shift(A, 10);
  clear(A);
  clear(D);
  clear(M);
  clear(A + A[0]);
  clear(3);
  shift(A);
  A[0] = A[1] > 0 ? take(A) : 0;
  keep(A);
}
