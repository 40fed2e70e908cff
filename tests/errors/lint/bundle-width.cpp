#include <hls_vector.h>

void first(const float *a, const hls::vector<float, 8> *b, const float *c, float *d) {
#pragma HLS interface mode=m_axi port=a bundle=gmem0
#pragma HLS interface mode=m_axi port=b bundle=gmem0
#pragma HLS interface mode=m_axi port=c bundle=gmem0
#pragma HLS interface mode=m_axi port=d bundle=gmem1
    d[0] = a[0] + b[0][0] + c[0];
}
