float A[8];
static float next(int i) { return A[i] + 1.0f; }
void f(float A[8])
{
    for (int i = 0; i < 8; i++)
        A[i] = next(7 - i);
}
int main(void) { f(A); }
