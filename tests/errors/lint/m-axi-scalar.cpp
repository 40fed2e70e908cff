void scale(float factor, float *a) {
#pragma HLS interface mode=m_axi port=a bundle=gmem0
#pragma HLS interface m_axi port=factor bundle=gmem1
    a[0] = a[0] * factor;
}
