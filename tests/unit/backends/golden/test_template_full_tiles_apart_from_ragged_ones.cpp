static void task0(float buf_A[11][13], float buf_B[11][13]) {
#pragma HLS inline off
    for (int i0 = 0; i0 < 2; ++i0) {
        for (int j0 = 0; j0 < 1; ++j0) {
            for (int j1 = 0; j1 < 4; ++j1) {
#pragma HLS pipeline
                for (int i2 = 0; i2 < 4; ++i2) {
#pragma HLS unroll
                    for (int j2 = 0; j2 < 2; ++j2) {
#pragma HLS unroll
                        buf_A[4*i0 + i2][8*j0 + 2*j1 + j2] = buf_A[4*i0 + i2][8*j0 + 2*j1 + j2] + (((float)2) * buf_B[4*i0 + i2][8*j0 + 2*j1 + j2]);
                    }
                }
            }
        }
        for (int j0 = 1; j0 < 2; ++j0) {
            for (int j1 = 0; j1 < 4; ++j1) {
#pragma HLS pipeline
                for (int i2 = 0; i2 < 4; ++i2) {
#pragma HLS unroll
                    for (int j2 = 0; j2 < 2; ++j2) {
#pragma HLS unroll
                        if (2*j1 + j2 <= 4) {
                            buf_A[4*i0 + i2][8*j0 + 2*j1 + j2] = buf_A[4*i0 + i2][8*j0 + 2*j1 + j2] + (((float)2) * buf_B[4*i0 + i2][8*j0 + 2*j1 + j2]);
                        }
                    }
                }
            }
        }
    }
    for (int i0 = 2; i0 < 3; ++i0) {
        for (int j0 = 0; j0 < 2; ++j0) {
            for (int j1 = 0; j1 < 4; ++j1) {
#pragma HLS pipeline
                for (int i2 = 0; i2 < 4; ++i2) {
#pragma HLS unroll
                    for (int j2 = 0; j2 < 2; ++j2) {
#pragma HLS unroll
                        if (8*j0 + 2*j1 + j2 <= 12 && i2 <= 2) {
                            buf_A[4*i0 + i2][8*j0 + 2*j1 + j2] = buf_A[4*i0 + i2][8*j0 + 2*j1 + j2] + (((float)2) * buf_B[4*i0 + i2][8*j0 + 2*j1 + j2]);
                        }
                    }
                }
            }
        }
    }
}

extern "C" {
void f(float *A, const float *B) {
    float buf_A[11][13];
    float buf_B[11][13];
    load_A(A, buf_A);
    load_B(B, buf_B);
    task0(buf_A, buf_B);
    store_A(A, buf_A);
}
}
