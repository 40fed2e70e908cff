static void task_S1(const float *A, const hls::vector<float, 4> *B, float buf_C[8][12], float alpha) {
#pragma HLS inline off
    float buf_A[8][5];
#pragma HLS array_partition variable=buf_A type=complete dim=2
    float buf_B[5][12];
#pragma HLS array_partition variable=buf_B type=complete dim=1
    for (int k0 = 0; k0 < 2; ++k0) {
        load_A(A, buf_A, k0);
        load_B(B, buf_B, k0);
        for (int i0 = 0; i0 < 8; ++i0) {
            for (int j1 = 0; j1 < 12; ++j1) {
#pragma HLS pipeline
                float acc = buf_C[i0][j1];
                for (int k2 = 0; k2 < 5; ++k2) {
#pragma HLS unroll
                    acc = acc + ((alpha * buf_A[i0][k2]) * buf_B[k2][j1]);
                }
                buf_C[i0][j1] = acc;
            }
        }
    }
}

extern "C" {
void kernel_gemm(float alpha, float beta, hls::vector<float, 4> *C, const float *A, const hls::vector<float, 4> *B) {
#pragma HLS interface mode=m_axi port=C bundle=gmem_c offset=slave depth=24
#pragma HLS interface mode=m_axi port=A bundle=gmem_a offset=slave depth=80
#pragma HLS interface mode=m_axi port=B bundle=gmem_b offset=slave depth=30
#pragma HLS interface mode=s_axilite port=alpha
#pragma HLS interface mode=s_axilite port=beta
#pragma HLS interface mode=s_axilite port=C
#pragma HLS interface mode=s_axilite port=A
#pragma HLS interface mode=s_axilite port=B
#pragma HLS interface mode=s_axilite port=return
    float buf_C[8][12];
#pragma HLS array_partition variable=buf_C type=cyclic factor=4 dim=2
    load_C(C, buf_C);
    task_S0(buf_C, beta);
    task_S1(A, B, buf_C, alpha);
    store_C(C, buf_C);
}
}
