/* Functions with statements: arrays, rows and elements by pointer, numbers by value, results of loops, early returns. */

#include <math.h>

#define N 8
#define M 5

static void axpy(int n, float a, const float *x, float *y)
{
  for (int i = 0; i < n; i++)
    y[i] += a * x[i];
}

static float dot(const float x[], const float y[M], int n)
{
  float s = 0.0f;
  for (int i = 0; i < n; i++)
    s += x[i] * y[i];
  return s;
}

static float soft(float x, float limit)
{
  if (x > limit)
    return x - limit;
  if (x < -limit)
    return x + limit;
  return 0.0f;
}

static int collatz(int x)
{
  int steps = 0;
  for (int i = 0; i < 20; i++) {
    if (x <= 1)
      continue;
    x = x % 2 ? 3 * x + 1 : x / 2;
    steps++;
  }
  return steps;
}

static int clampi(int x, int low, int high)
{
  if (x < low)
    return low;
  return x > high ? high : x;
}

static void swap(float *p, float *q)
{
  float t = *p;
  *p = *q;
  *q = t;
}

static float norm(float rows[][M], int n)
{
  float s = 0.0f;
  for (int i = 0; i < n; i++) {
    float t = dot(rows[i], rows[i], M);
    if (t < 0.01f)
      continue;
    s += t;
  }
  return sqrtf(s);
}

void functions(float A[N][M], float x[M], float y[N], int d[N], float alpha)
{
  for (int i = 0; i < N; i++) {
    axpy(M, alpha, x, A[i]);
    y[i] = dot(A[i], x, M) + soft(y[i], 0.5f) * dot(&A[i][1], x + 1, M - 1);
    d[i] += collatz(d[i] & 31);
  }
  for (int i = 0; i < N; i++)
    if (y[i] > 0)
      axpy(M, y[i], A[i], A[clampi(i - 1, 0, N - 1)]);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      int up = clampi(i - 1, 0, N - 1), left = j > 0 ? j - 1 : 0;
      float right = j < M - 1 ? A[i][j + 1] : 0.0f;
      y[i] += A[up][j] - 0.5f * A[i][left] + right + up * A[i < N - 2 ? i + 2 : N - 1][j];
      if (A[up][left] > right)
        y[up] += 1.0f;
    }
  for (int i = 0; i + 1 < N; i++)
    swap(&y[i], y + i + 1);
  float m = 0, n = 1;
  swap(&m, &n);
  y[0] += m + 2 * n;
  y[2] = norm(A, N);
  y[1] += soft(y[2], y[3]);
}
