#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

void f(float A[100])
{
  for (int i = 0; i < 10; i++) {
    for (int j = MIN(i, 5); j < 10; j++)
      A[j] = 0.0f;
    for (int j = 0; j < MAX(i, 5); j++)
      A[j] = 1.0f;
    for (int j = 0; j < i || j < 5; j++)
      A[j] = 2.0f;
  }
}
