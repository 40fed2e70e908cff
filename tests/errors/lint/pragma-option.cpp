void scale(float *a) {
#pragma HLS interface mode=m_axi port=A bundel=gmem0
    float rows[64], columns[64];
#pragma HLS array_partition type=cyclic factor=4 dim=1
#pragma HLS array_partition variable=columns type=cyclic
    for (int i = 0; i < 64; ++i) {
#pragma HLS pipeline II=1 flush
        columns[i] = rows[i] * 2.0f;
    }
}
