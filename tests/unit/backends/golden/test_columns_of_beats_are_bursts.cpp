#include "kernel.h"

static int smaller(int left, int right) {
    return left < right ? left : right;
}

static void load_A(const hls::vector<float, 4> *port, float buffer[2][8], int i0t, int i1t) {
#pragma HLS inline off
    for (int column = 0; column < 2; ++column) {
        for (int row0 = 0; row0 < smaller(2, -2*i0t + 7); ++row0) {
#pragma HLS loop_tripcount min=1 max=2
#pragma HLS pipeline II=2
            const hls::vector<float, 4> line = port[2*i0t + 14*i1t + 7 * column + row0];
            for (int lane = 0; lane < 4; ++lane) {
#pragma HLS unroll
                buffer[row0][4 * column + lane] = line[lane];
            }
        }
    }
}

