#define N 64

static void columns(const float *matrix, const int *order, float buffer[N], int column) {
    for (int i = 0; i < N; ++i) {
#pragma HLS pipeline II=1
        buffer[i] = matrix[N * i + column];
    }
    for (int i = 0; i < N; ++i) {
#pragma HLS pipeline II=1
        buffer[i] = matrix[order[i]] + matrix[i * column];
    }
    for (int i = 0; i < N; i += 2) {
#pragma HLS pipeline II=1
        buffer[i] = matrix[i];
    }
    for (int i = 0; i < N / 4; ++i) {
#pragma HLS pipeline II=1
        for (int lane = 0; lane < 4; ++lane) {
#pragma HLS unroll
            buffer[lane] = matrix[column * N + 4 * i + lane];
        }
    }
}

void top(const float *a, const int *order, float *b) {
#pragma HLS interface mode=m_axi port=a bundle=gmem0
#pragma HLS interface mode=m_axi port=b bundle=gmem1
    float rows[N];
#pragma HLS array_partition variable=rows type=cyclic factor=4
    columns(a, order, rows, 3);
    int next = 0;
    for (int i = 0; i < N; ++i) {
#pragma HLS pipeline II=1
        b[next++] = rows[i];
    }
}
