/* Indices corrected step by step: borders clamped, mirrored and wrapped around. */
void k(unsigned char a[9][11], int b[9][11], int c[9][11]) {
  for (int i = 0; i < 9; i++)
    for (int j = 0; j < 11; j++) {
      int sum = 0;
      for (int u = -1; u <= 1; u++)
        for (int v = -2; v <= 2; v += 2) {
          int y = i + u, x = j + v;
          if (y < 0) y = 0;
          if (y > 8) y = 8;
          if (x < 0)
            x = -x;
          else if (x > 10) {
            x = 20 - x;
          }
          sum += a[y][x];
        }
      int w = i + 4;
      if (w >= 9) w -= 9;
      if (w == 3) w = 0;
      b[i][j] = sum + c[w][j] * w;
    }
}
