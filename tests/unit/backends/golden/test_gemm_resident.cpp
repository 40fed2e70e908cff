static void task_S0(float buf_C[8][12], float beta) {
#pragma HLS inline off
    for (int i0 = 0; i0 < 8; ++i0) {
        for (int j1 = 0; j1 < 3; ++j1) {
#pragma HLS pipeline
            for (int j2 = 0; j2 < 4; ++j2) {
#pragma HLS unroll
                buf_C[i0][4*j1 + j2] = buf_C[i0][4*j1 + j2] * beta;
            }
        }
    }
}

static void task_S1(float buf_C[8][12], float buf_A[8][10], float buf_B[10][12], float alpha) {
#pragma HLS inline off
    for (int k0 = 0; k0 < 10; ++k0) {
        for (int i0 = 0; i0 < 8; ++i0) {
            for (int j1 = 0; j1 < 3; ++j1) {
#pragma HLS pipeline
                for (int j2 = 0; j2 < 4; ++j2) {
#pragma HLS unroll
                    buf_C[i0][4*j1 + j2] = buf_C[i0][4*j1 + j2] + ((alpha * buf_A[i0][k0]) * buf_B[k0][4*j1 + j2]);
                }
            }
        }
    }
}

extern "C" {
void kernel_gemm(float alpha, float beta, hls::vector<float, 4> *C, const hls::vector<float, 2> *A, const hls::vector<float, 4> *B) {
#pragma HLS interface mode=m_axi port=C bundle=gmem_c offset=slave depth=24
#pragma HLS interface mode=m_axi port=A bundle=gmem_a offset=slave depth=40
#pragma HLS interface mode=m_axi port=B bundle=gmem_b offset=slave depth=30
#pragma HLS interface mode=s_axilite port=alpha
#pragma HLS interface mode=s_axilite port=beta
#pragma HLS interface mode=s_axilite port=C
#pragma HLS interface mode=s_axilite port=A
#pragma HLS interface mode=s_axilite port=B
#pragma HLS interface mode=s_axilite port=return
    float buf_C[8][12];
#pragma HLS array_partition variable=buf_C type=cyclic factor=4 dim=2
    float buf_A[8][10];
#pragma HLS array_partition variable=buf_A type=cyclic factor=2 dim=2
    float buf_B[10][12];
#pragma HLS array_partition variable=buf_B type=cyclic factor=4 dim=2
    load_C(C, buf_C);
    load_A(A, buf_A);
    load_B(B, buf_B);
    task_S0(buf_C, beta);
    task_S1(buf_C, buf_A, buf_B, alpha);
    store_C(C, buf_C);
}
}
