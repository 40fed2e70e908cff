/* Functions of string.h that move whole elements: lines into buffers and back, rows, parts, zeros, bytes. */
#include <stdint.h>
#include <string.h>
#define H 6
#define W 8

static void take(float line[W], const float *from)
{
  memcpy(line, from, W * sizeof(float));
}

void f(const float img[H][W], float out[H][W], float sums[W], uint8_t marks[2 * W], int32_t count[4][3],
       const int32_t first[4][3])
{
  float line[W], grid[H][W];
  memset(sums, 0, W * sizeof(*sums));
  memset(marks, 0xff, sizeof(uint8_t) * 2 * W);
  memset(grid, 0, sizeof grid);
  memcpy(count, first, 12 * sizeof(int32_t));
  memcpy(&count[3][1], &first[0][1], 2 * sizeof(int32_t));
  for (int y = 0; y < H; y++) {
    take(line, img[y]);
    for (int x = 0; x < W; x++)
      sums[x] += line[x];
    memcpy(grid[H - 1 - y] + 2, line, (W - 2) * sizeof(float));
    if (sums[0] > 0.5f)
      memset(&marks[y], 0, 2);
  }
  memcpy(out, grid, sizeof(grid));
}
