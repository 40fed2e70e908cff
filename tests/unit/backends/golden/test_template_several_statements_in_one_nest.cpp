static void task0(float buf_A[12], float buf_B[12]) {
#pragma HLS inline off
    for (int i1 = 0; i1 < 11; ++i1) {
#pragma HLS pipeline
        buf_A[i1 + 1] = buf_B[i1] * ((float)3);
        if (i1 >= 4) {
            buf_B[i1 + 1] = buf_A[i1 + 1] + buf_A[i1];
        }
    }
}

extern "C" {
void f(float *A, float *B) {
    float buf_A[12];
    float buf_B[12];
    load_A(A, buf_A);
    load_B(B, buf_B);
    task0(buf_A, buf_B);
    store_A(A, buf_A);
    store_B(B, buf_B);
}
}
