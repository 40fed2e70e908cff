static void task0_copy(int buf_X_S0_S1[1][4], int buf_Y_S0_S1[1][4], int buf_A_S0_S1[3]) {
#pragma HLS inline off
    for (int j1 = 0; j1 < 3; ++j1) {
#pragma HLS pipeline
        buf_X_S0_S1[0][j1 + 1] = buf_Y_S0_S1[0][j1] * buf_A_S0_S1[j1];
        buf_Y_S0_S1[0][j1 + 1] = buf_X_S0_S1[0][j1] - 3;
    }
}

static void task0(int *X, int *Y, const int *A) {
#pragma HLS inline off
    int buf_X_S0_S1[2][1][4];
#pragma HLS array_partition variable=buf_X_S0_S1 type=complete dim=1
    int buf_Y_S0_S1[2][1][4];
#pragma HLS array_partition variable=buf_Y_S0_S1 type=complete dim=1
    int buf_A_S0_S1[2][3];
#pragma HLS array_partition variable=buf_A_S0_S1 type=complete dim=1
    for (int i0 = 0; i0 < 3; ++i0) {
        for (int ic = 0; ic < 2; ++ic) {
#pragma HLS unroll
            load_X_S0_S1(X, buf_X_S0_S1[ic], i0, ic);
            load_Y_S0_S1(Y, buf_Y_S0_S1[ic], i0, ic);
            load_A_S0_S1(A, buf_A_S0_S1[ic]);
        }
        for (int ic = 0; ic < 2; ++ic) {
#pragma HLS unroll
            task0_copy(buf_X_S0_S1[ic], buf_Y_S0_S1[ic], buf_A_S0_S1[ic]);
        }
        for (int ic = 0; ic < 2; ++ic) {
#pragma HLS unroll
            store_X_S0_S1(X, buf_X_S0_S1[ic], i0, ic);
            store_Y_S0_S1(Y, buf_Y_S0_S1[ic], i0, ic);
        }
    }
}

