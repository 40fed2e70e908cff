/* 32 beams of 64 complex channels, for 1,024 samples. */

#define C 64
#define B 32
#define S 1024
void kernel_beamform(const float xr[S][C], const float xi[S][C], const float wr[B][C], const float wi[B][C], float yr[S][B], float yi[S][B]) {
  for (int s = 0; s < S; s++)
    for (int b = 0; b < B; b++) {
      float r = 0, i = 0;
      for (int c = 0; c < C; c++) {
        r += xr[s][c] * wr[b][c] - xi[s][c] * wi[b][c];
        i += xr[s][c] * wi[b][c] + xi[s][c] * wr[b][c];
      }
      yr[s][b] = r; yi[s][b] = i;
    }
}
