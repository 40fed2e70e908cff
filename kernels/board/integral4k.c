/* The integral image of 2,160 x 3,840 pixels. */

#define H 2160
#define W 3840
void kernel_integral4k(const unsigned char img[H][W], int ii[H][W]) {
  for (int i = 0; i < H; i++) {
    int row = 0;
    for (int j = 0; j < W; j++) {
      row += img[i][j];
      ii[i][j] = i > 0 ? ii[i-1][j] + row : row;
    }
  }
}
