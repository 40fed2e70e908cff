void add(float a[64], float b[8]) {
    for (int i = 0; i < 64; ++i) {
#pragma HLS pipeline
#pragma HLS dependence variable=b type=inter false
        b[i % 8] = b[i % 8] + a[i];
    }
}
