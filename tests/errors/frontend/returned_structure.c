typedef struct { float re, im; } complex_t;
static complex_t turned(float x) { complex_t r = {x, -x}; return r; }
float *f(float A[10])
{
  for (int i = 0; i < 10; i++)
    A[i] = A[i] > 0 ? turned(A[i]).im : 0;
  return A;
}
