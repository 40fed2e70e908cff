/* How much each of 4,096 boxes overlaps with each other one, of what both cover. */

#define N 4096
void kernel_overlaps(const float b[N][4], float m[N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      float x0 = b[i][0] > b[j][0] ? b[i][0] : b[j][0];
      float y0 = b[i][1] > b[j][1] ? b[i][1] : b[j][1];
      float x1 = b[i][2] < b[j][2] ? b[i][2] : b[j][2];
      float y1 = b[i][3] < b[j][3] ? b[i][3] : b[j][3];
      float w = x1 > x0 ? x1 - x0 : 0, h = y1 > y0 ? y1 - y0 : 0;
      float in = w * h;
      float u = (b[i][2]-b[i][0])*(b[i][3]-b[i][1]) + (b[j][2]-b[j][0])*(b[j][3]-b[j][1]) - in;
      m[i][j] = in / u;
    }
}
