/* A 3x3 convolution of 32 maps of 56 x 56 whose padding is a condition in the innermost loop. */

#define C 32
#define K 32
#define N 56
void kernel_conv_pad(const float x[C][N][N], const float w[K][C][3][3], const float b[K], float y[K][N][N]) {
  for (int k = 0; k < K; k++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        float s = b[k];
        for (int c = 0; c < C; c++)
          for (int u = 0; u < 3; u++)
            for (int v = 0; v < 3; v++)
              if (i + u - 1 >= 0 && i + u - 1 < N && j + v - 1 >= 0 && j + v - 1 < N)
                s += w[k][c][u][v] * x[c][i + u - 1][j + v - 1];
        y[k][i][j] = s > 0.0f ? s : 0.0f;
      }
}
