static void task0(float buf_A[8][16], float buf_B[8]) {
#pragma HLS inline off
    for (int i0 = 0; i0 < 2; ++i0) {
        for (int j0 = i0; j0 < i0 + 3; ++j0) {
#pragma HLS loop_tripcount min=3 max=3
            for (int i1 = 0; i1 < 4; ++i1) {
#pragma HLS pipeline
                for (int j2 = 0; j2 < 4; ++j2) {
#pragma HLS unroll
                    buf_B[4*i0 + i1] = updated_float(4*j0 + j2 >= 4*i0 + i1 && 4*i0 + i1 + 8 >= 4*j0 + j2, buf_B[4*i0 + i1], buf_B[4*i0 + i1] + (0.5f * buf_A[4*i0 + i1][4*j0 + j2]));
                }
            }
        }
    }
}

extern "C" {
void f(const float *A, float *B) {
    float buf_A[8][16];
    float buf_B[8];
    load_A(A, buf_A);
    load_B(B, buf_B);
    task0(buf_A, buf_B);
    store_B(B, buf_B);
}
}
