void first(float a[64][64], float *b) {
#pragma HLS interface mode=m_axi port=a bundle=gmem0
#pragma HLS interface mode=m_axi port=b bundle=gmem1
#pragma HLS array_partition variable=a type=cyclic factor=4 dim=2
    b[0] = a[0][0];
}
