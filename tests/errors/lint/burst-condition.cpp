void some(const float *a, const float *b, float c[64], int n) {
#pragma HLS interface mode=m_axi port=a bundle=gmem0
#pragma HLS interface mode=m_axi port=b bundle=gmem1
    if (n > 0) {
        for (int i = 0; i < 64; ++i) {
#pragma HLS pipeline II=1
            if (i < n)
                c[i] = a[i];
            c[i] = i < n ? b[i] : c[i];
        }
    }
    for (int i = 0; i < 64; ++i) {
#pragma HLS pipeline II=1
        c[i] = a[i];
    }
}
