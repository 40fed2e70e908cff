static void task0(float buf_A[18], float buf_B[18]) {
#pragma HLS inline off
    for (int i1 = 0; i1 < 4; ++i1) {
#pragma HLS pipeline
        for (int i2 = 0; i2 < 4; ++i2) {
#pragma HLS unroll
            buf_B[4*i1 + i2 + 1] = 0.25f * ((buf_A[4*i1 + i2] + buf_A[4*i1 + i2 + 1]) + buf_A[4*i1 + i2 + 2]);
        }
    }
}

static void task1(float buf_A[18], float buf_B[18]) {
#pragma HLS inline off
    for (int i1 = 0; i1 < 8; ++i1) {
#pragma HLS pipeline
        for (int i2 = 0; i2 < 2; ++i2) {
#pragma HLS unroll
            buf_A[2*i1 + i2 + 1] = buf_B[2*i1 + i2 + 1];
        }
    }
}

extern "C" {
void f(float *A, float *B) {
    float buf_A[18];
    float buf_B[18];
    load_A(A, buf_A);
    load_B(B, buf_B);
    for (int t = 0; t < 5; ++t) {
        task0(buf_A, buf_B);
        task1(buf_A, buf_B);
    }
    store_A(A, buf_A);
    store_B(B, buf_B);
}
}
