/* An inverted residual of 8-bit maps, 1x1, depthwise 3x3 and 1x1. */

#include <stdint.h>
#define N 28
#define C 32
#define E 96
static int8_t sat(int v) { return v < 0 ? 0 : v > 127 ? 127 : v; }
void kernel_mobile(const int8_t x[N + 2][N + 2][C], const int8_t w1[E][C], const int8_t w2[E][3][3], const int8_t w3[C][E], int8_t y[N][N][C]) {
  static int8_t a[N + 2][N + 2][E], b[N][N][E];
  for (int i = 0; i < N + 2; i++) for (int j = 0; j < N + 2; j++) for (int e = 0; e < E; e++) {
    int s = 0;
    for (int c = 0; c < C; c++) s += x[i][j][c] * w1[e][c];
    a[i][j][e] = sat(s >> 7);
  }
  for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int e = 0; e < E; e++) {
    int s = 0;
    for (int u = 0; u < 3; u++) for (int v = 0; v < 3; v++) s += a[i + u][j + v][e] * w2[e][u][v];
    b[i][j][e] = sat(s >> 7);
  }
  for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int c = 0; c < C; c++) {
    int s = 0;
    for (int e = 0; e < E; e++) s += b[i][j][e] * w3[c][e];
    y[i][j][c] = sat((s >> 7) + x[i + 1][j + 1][c]);
  }
}
