void copy(float a[8][64], float b[8][64]) {
#pragma HLS ARRAY_PARTITION variable=a complete dim=1
#pragma HLS ARRAY_PARTITION variable=b cyclic factor=4 dim=2
    for (int i = 0; i < 64; ++i) {
#pragma HLS DEPENDENCE variable=b inter true
        b[0][i] = a[0][i];
    }
}
