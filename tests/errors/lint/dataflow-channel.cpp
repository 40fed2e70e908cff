#include <hls_stream.h>

static void fill(const float a[64], float b[64]) {
    for (int i = 0; i < 64; ++i)
        b[i] = a[i];
}

static void send(const float a[64], hls::stream<float> &out) {
    for (int i = 0; i < 64; ++i)
        out.write(a[i]);
}

static void take(hls::stream<float> &in, float b[64]) {
    for (int i = 0; i < 64; ++i)
        b[i] = in.read();
}

void top(const float a[64], float b[64], float c[64]) {
#pragma HLS dataflow
    float middle[64];
    hls::stream<float> queue;
    fill(a, middle);
    fill(middle, c);
    send(middle, queue);
    take(queue, b);
    take(queue, b);
}
