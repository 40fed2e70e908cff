#include "kernel.h"
#include <hls_stream.h>

static int smaller(int left, int right) {
    return left < right ? left : right;
}

static void load_A_fetch(const hls::vector<float, 2> *port, hls::stream<hls::vector<float, 2>> &fifo, int i0t, int i1t) {
#pragma HLS inline off
    for (int row0 = 0; row0 < smaller(3, -3*i0t + 7); ++row0) {
#pragma HLS loop_tripcount min=1 max=3
        for (int beat = 0; beat < smaller(2, -2*i1t + 5); ++beat) {
#pragma HLS loop_tripcount min=1 max=2
#pragma HLS pipeline II=1
            fifo.write(port[15*i0t + 2*i1t + 5 * row0 + beat]);
        }
    }
}

static void load_A_spread(hls::stream<hls::vector<float, 2>> &fifo, float buffer[3][4], int i0t, int i1t) {
#pragma HLS inline off
    for (int row0 = 0; row0 < smaller(3, -3*i0t + 7); ++row0) {
#pragma HLS loop_tripcount min=1 max=3
        for (int beat = 0; beat < smaller(2, -2*i1t + 5); ++beat) {
#pragma HLS loop_tripcount min=1 max=2
#pragma HLS pipeline II=1
            const hls::vector<float, 2> line = fifo.read();
            for (int lane = 0; lane < 2; ++lane) {
#pragma HLS unroll
                buffer[row0][2 * beat + lane] = line[lane];
            }
        }
    }
}

static void load_A(const hls::vector<float, 2> *port, float buffer[3][4], int i0t, int i1t) {
#pragma HLS inline off
#pragma HLS dataflow
    hls::stream<hls::vector<float, 2>> fifo;
#pragma HLS stream variable=fifo depth=1024
    load_A_fetch(port, fifo, i0t, i1t);
    load_A_spread(fifo, buffer, i0t, i1t);
}

