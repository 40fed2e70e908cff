void scale(float a[64], float new) {
    float __factor = new;
    int hls = 3;
    for (int i = 0; i < 64; ++i)
        a[i] = a[i] * __factor + hls;
}
