#include "kernel.h"

static void load_A(const hls::vector<float, 4> *port, float buffer[3][5], int i0t, int i1t) {
#pragma HLS inline off
    int row0 = 0;
    int column = 0;
    for (int beat = 0; beat < 6; ++beat) {
#pragma HLS pipeline II=2
        const hls::vector<float, 4> line = port[12*i0t + 6*i1t + beat];
        for (int lane = 0; lane < 4; ++lane) {
#pragma HLS unroll
            if (4 * column + lane < 5) buffer[row0][4 * column + lane] = line[lane];
        }
        if (++column == 2) {
            column = 0;
            ++row0;
        }
    }
}

