/* Normalisation, ReLU and max-pooling of 64 feature maps in one loop nest. */

#define C 64
#define N 56
void kernel_bn_relu_pool(const float x[C][N][N], const float g[C], const float b[C], float y[C][N / 2][N / 2]) {
  for (int c = 0; c < C; c++)
    for (int i = 0; i < N / 2; i++)
      for (int j = 0; j < N / 2; j++) {
        float m = -1e30f;
        for (int u = 0; u < 2; u++)
          for (int v = 0; v < 2; v++) {
            float t = g[c] * x[c][2 * i + u][2 * j + v] + b[c];
            t = t > 0 ? t : 0;
            m = t > m ? t : m;
          }
        y[c][i][j] = m;
      }
}
