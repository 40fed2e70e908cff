#include "kernel.h"
#include <hls_stream.h>

static void load_A_fetch(const hls::vector<float, 4> *port, hls::stream<hls::vector<float, 4>> &fifo) {
#pragma HLS inline off
    for (int beat = 0; beat < 12; ++beat) {
#pragma HLS pipeline II=1
        fifo.write(port[beat]);
    }
}

static void load_A_spread(hls::stream<hls::vector<float, 4>> &fifo, float buffer[6][8]) {
#pragma HLS inline off
    int row0 = 0;
    int column = 0;
    for (int beat = 0; beat < 12; ++beat) {
#pragma HLS pipeline II=1
        const hls::vector<float, 4> line = fifo.read();
        for (int lane = 0; lane < 4; ++lane) {
#pragma HLS unroll
            buffer[row0][4 * column + lane] = line[lane];
        }
        if (++column == 2) {
            column = 0;
            ++row0;
        }
    }
}

static void load_A(const hls::vector<float, 4> *port, float buffer[6][8]) {
#pragma HLS inline off
#pragma HLS dataflow
    hls::stream<hls::vector<float, 4>> fifo;
#pragma HLS stream variable=fifo depth=1024
    load_A_fetch(port, fifo);
    load_A_spread(fifo, buffer);
}

