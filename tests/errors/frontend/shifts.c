static int half(int x) { return x >> 33; }
void f(int A[100], long long B[100], unsigned char C[100], int x)
{
  for (int i = 0; i < 100; i++) {
    A[i] = x << 40;
    A[i] = x >> -1;
    A[i] <<= 4 * 8;
    A[i] = half(A[i]);
    A[i] = A[i] >> i;
    A[i] = C[i] << (unsigned)(i - 1);
    A[i] = -1 << 3;
    A[i] = 3 << 30;
    B[i] = B[i] << 64;
    B[i] = (B[i] << 63) + (1LL << 40) + (A[i] >> (i < 32 ? i : 31)) + (x << (x & 31));
    if (i < 32)
      A[i] = A[i] >> i;
  }
}
