#include "kernel.h"

static void load_A(const hls::vector<float, 4> *port, float buffer[4][6][8]) {
#pragma HLS inline off
    int row0 = 0;
    int row1 = 0;
    int column = 0;
    for (int beat = 0; beat < 48; ++beat) {
#pragma HLS pipeline II=1
        const hls::vector<float, 4> line = port[beat];
        for (int lane = 0; lane < 4; ++lane) {
#pragma HLS unroll
            buffer[row0][row1][4 * column + lane] = line[lane];
        }
        if (++column == 2) {
            column = 0;
            if (++row1 == 6) {
                row1 = 0;
                ++row0;
            }
        }
    }
}

