#define A0 1.0f
#define A1 A0 + A0 + A0 + A0 + A0 + A0 + A0 + A0 + A0 + A0
#define A2 A1 + A1 + A1 + A1 + A1 + A1 + A1 + A1 + A1 + A1
#define A3 A2 + A2 + A2 + A2 + A2 + A2 + A2 + A2 + A2 + A2
#define A4 A3 + A3 + A3 + A3 + A3 + A3 + A3 + A3 + A3 + A3
#define A5 A4 + A4 + A4 + A4 + A4 + A4 + A4 + A4 + A4 + A4
#define A6 A5 + A5 + A5 + A5 + A5 + A5 + A5 + A5 + A5 + A5

void f(float A[4])
{
  for (int i = 0; i < 4; i++)
    A[i] = A6;
}
