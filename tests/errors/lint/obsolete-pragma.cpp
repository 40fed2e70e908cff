struct pair {
    float left, right;
};

void scale(pair *a) {
#pragma HLS DATA_PACK variable=a
    float rows[64];
#pragma HLS RESOURCE variable=rows core=RAM_2P_BRAM
    for (int i = 0; i < 64; ++i)
        rows[i] = a[i].left;
}
