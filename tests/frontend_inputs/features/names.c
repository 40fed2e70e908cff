/* Names that isl or C++ keep for themselves, and names used over and over. */

#define N 5

void names(float new[N], float and[N][N], float S0[N], float class, float floord[N])
{
  int min, mod, template;
  float S1 = 1.0f, delete = 0.0f;
  for (min = 0; min < N; min++) {
    for (mod = 0; mod < N; mod++)
      and[min][mod] *= class + S0[min];
    for (mod = 0; mod < N; mod++)
      for (template = 0; template < mod; template++) {
        int i = template + 1;
        new[mod] += and[min][template] * S1 + i;
      }
    delete += new[min];
    for (int min = 0; min < 2; min++)
      floord[min] += delete;
    for (int true = 0; true < 2; true++)
      S0[true] = true;
  }
}
