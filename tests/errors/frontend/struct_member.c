struct point { float x, y; };
static const struct point origin = {0, 0};

void f(float A[10])
{
  for (int i = 0; i < 10; i++)
    A[i] = origin.x;
}
