/* A filter of seven taps in both directions over 1,080 x 1,920 pixels, mirrored at its borders. */

#define H 1080
#define W 1920
void kernel_mirrored(const unsigned char in[H][W], const int k[7], unsigned char out[H][W])
{
    static int t[H][W];
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++) {
            int s = 0;
            for (int d = -3; d <= 3; d++) {
                int c = j + d;
                if (c < 0) c = -c;
                if (c >= W) c = 2 * W - 2 - c;
                s += k[d + 3] * in[i][c];
            }
            t[i][j] = s;
        }
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++) {
            int s = 0;
            for (int d = -3; d <= 3; d++) {
                int r = i + d;
                if (r < 0) r = -r;
                if (r >= H) r = 2 * H - 2 - r;
                s += k[d + 3] * t[r][j];
            }
            out[i][j] = (unsigned char)(s >> 12);
        }
}
