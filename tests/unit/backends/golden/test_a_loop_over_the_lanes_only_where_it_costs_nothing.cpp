#include "kernel.h"
#include <ap_int.h>

static void load_A(const hls::vector<float, 4> *port, float buffer[4][9]) {
#pragma HLS inline off
    int row0 = 0;
    ap_uint<2> column = 0;
    for (int beat = 0; beat < 12; ++beat) {
#pragma HLS pipeline II=1
        const hls::vector<float, 4> line = port[beat];
        buffer[row0][4 * column] = line[0];
        if (4 * column + 1 < 9) buffer[row0][4 * column + 1] = line[1];
        if (4 * column + 2 < 9) buffer[row0][4 * column + 2] = line[2];
        if (4 * column + 3 < 9) buffer[row0][4 * column + 3] = line[3];
        if (++column == 3) {
            column = 0;
            ++row0;
        }
    }
}

