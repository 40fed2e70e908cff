void scale(float a[64]) {
    for (int i = 0; i < 64; ++i)
        a[i] = 0.2 * a[i] + 1e-3 + 3 * 0.5f;
}

void exact(double a[64], float b[64]) {
    for (int i = 0; i < 64; ++i)
        a[i] = 0.2 * b[i];
}
