static void task0(float buf_A[10], float buf_B[10], int t) {
#pragma HLS inline off
    for (int i1 = 0; i1 < t; ++i1) {
#pragma HLS pipeline
#pragma HLS loop_tripcount min=1 max=9
        buf_B[i1] = buf_A[i1] + buf_A[-i1 + t - 1];
    }
}

static void task1(float buf_A[10], float buf_B[10], int t) {
#pragma HLS inline off
    for (int i1 = 0; i1 < (t - 1) / 2 + 1; ++i1) {
#pragma HLS pipeline
#pragma HLS loop_tripcount min=1 max=5
        for (int i2 = 0; i2 < 2; ++i2) {
#pragma HLS unroll
            if (t >= 2*i1 + i2 + 1) {
                buf_A[2*i1 + i2] = 0.5f * buf_B[2*i1 + i2];
            }
        }
    }
}

extern "C" {
void f(float *A, float *B) {
    float buf_A[10];
    float buf_B[10];
    load_A(A, buf_A);
    load_B(B, buf_B);
    for (int t = 1; t < 10; ++t) {
        task0(buf_A, buf_B, t);
        task1(buf_A, buf_B, t);
    }
    store_A(A, buf_A);
    store_B(B, buf_B);
}
}
