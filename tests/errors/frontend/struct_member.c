struct point { float x, y; unsigned flag : 1; };
static const struct point origin = {0, 0, 1};

void f(float A[10])
{
  for (int i = 0; i < 10; i++)
    A[i] = origin.x;
}
