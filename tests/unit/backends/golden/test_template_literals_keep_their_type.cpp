static void task0(float buf_A[8]) {
#pragma HLS inline off
    for (int i1 = 0; i1 < 8; ++i1) {
#pragma HLS pipeline
        buf_A[i1] = (0.2f * buf_A[i1]) + 1e-3f;
    }
}

static void task1(double buf_B[8]) {
#pragma HLS inline off
    for (int i1 = 0; i1 < 8; ++i1) {
#pragma HLS pipeline
        buf_B[i1] = (0.2 * buf_B[i1]) + 0.125;
    }
}

static void task2(int buf_C[8]) {
#pragma HLS inline off
    for (int i1 = 0; i1 < 8; ++i1) {
#pragma HLS pipeline
        buf_C[i1] = (3 * buf_C[i1]) + ((int)2u);
    }
}

extern "C" {
void f(float *A, double *B, int *C) {
    float buf_A[8];
    double buf_B[8];
    int buf_C[8];
    load_A(A, buf_A);
    load_B(B, buf_B);
    load_C(C, buf_C);
    task0(buf_A);
    task1(buf_B);
    task2(buf_C);
    store_A(A, buf_A);
    store_B(B, buf_B);
    store_C(C, buf_C);
}
}
