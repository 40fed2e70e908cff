static void inner(float a[32][64], float b[64], float c[64]) {
    for (int i = 0; i < 8; ++i) {
#pragma HLS pipeline II=1
        for (int j = 0; j < 8; ++j)
            a[i][8 * j] = b[j] * c[j];
    }
}

void top(float out[64]) {
    float a[32][64], b[64], c[64], d[64];
#pragma HLS array_partition variable=a type=cyclic factor=8 dim=2
#pragma HLS array_partition variable=b type=cyclic factor=8
#pragma HLS array_partition variable=c type=block factor=4
    inner(a, b, c);
    for (int i = 0; i < 64; ++i) {
#pragma HLS pipeline II=2
#pragma HLS unroll factor=4
        d[i] = b[i];
    }
    for (int i = 0; i < 64; ++i) {
#pragma HLS unroll factor=4
        out[i] = d[i];
    }
}
