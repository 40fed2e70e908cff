enum { FAR = -2147483647 - 1 };
void f(int A[10], unsigned B[10], long long C[10])
{
  for (int i = 0; i < 10; i++) {
    A[i] = 2000000000 + 2000000000;
    A[i] = A[i] + 65536 * 65536;
    A[i] = -FAR;
    A[i] = FAR / -1;
    B[i] = 4000000000u + 4000000000u;
    C[i] = 65536LL * 65536 - (long long)FAR;
  }
}
