/* A body behind a variable, beside pointers that other passes look for. */
int count {
    return 1;
}

void fill(float a[4])
{
#pragma scop
    for (int i = 0; i < 4; i++)
        a[i] = 1;
#pragma endscop
}
