void scale(float a[64]) {
    for (int i = 0; i < 64; ++i) {
#pragma HLS pipelin II=1
        a[i] = a[i] * 2.0f;
    }
}
