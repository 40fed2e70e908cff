static void task0(float buf_A[20], float buf_B[20]) {
#pragma HLS inline off
    for (int i0 = 0; i0 < 7; ++i0) {
        for (int j1 = 0; j1 < 5; ++j1) {
#pragma HLS pipeline
            for (int j2 = 0; j2 < 2; ++j2) {
#pragma HLS unroll
                buf_A[4*j1 + 2*j2] = (buf_A[4*j1 + 2*j2] * buf_B[-3*i0 + 19]) - buf_B[4*j1 + 2*j2];
            }
        }
    }
}

extern "C" {
void f(float *A, const float *B) {
    float buf_A[20];
    float buf_B[20];
    load_A(A, buf_A);
    load_B(B, buf_B);
    task0(buf_A, buf_B);
    store_A(A, buf_A);
}
}
