/* What lives on from call to call is an argument; but nothing can be put behind a declaration in a macro. */
#define STATE static int calls = 0;
void f(float A[10])
{
  STATE
  calls++;
  for (int i = 0; i < 10; i++)
    A[i] = calls;
}
