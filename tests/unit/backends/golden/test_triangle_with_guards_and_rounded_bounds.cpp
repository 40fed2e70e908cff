static void task0(float buf_A[7][7], float buf_B[7]) {
#pragma HLS inline off
    for (int i0 = 0; i0 < 4; ++i0) {
        for (int j0 = 0; j0 < smaller((2*i0 + 1) / 3, 2) + 1; ++j0) {
#pragma HLS loop_tripcount min=1 max=3
            for (int i1 = 0; i1 < 2; ++i1) {
                for (int j1 = 0; j1 < 3; ++j1) {
#pragma HLS pipeline
                    if (2*i0 + i1 <= 6 && 2*i0 + i1 >= 3*j0 + j1) {
                        buf_B[2*i0 + i1] = buf_B[2*i0 + i1] + buf_A[2*i0 + i1][3*j0 + j1];
                    }
                }
            }
        }
    }
}

extern "C" {
void triangle(const float *A, float *B) {
#pragma HLS interface mode=m_axi port=A bundle=gmem_a offset=slave depth=49
#pragma HLS interface mode=m_axi port=B bundle=gmem_b offset=slave depth=7
#pragma HLS interface mode=s_axilite port=A
#pragma HLS interface mode=s_axilite port=B
#pragma HLS interface mode=s_axilite port=return
    float buf_A[7][7];
    float buf_B[7];
    load_A(A, buf_A);
    load_B(B, buf_B);
    task0(buf_A, buf_B);
    store_B(B, buf_B);
}
}
