/* The nearest of 8,192 points to each of 4,096, all distances in a local array of 134 MB. */

#define Q 4096
#define N 8192
#define D 32
void kernel_knn(const float q[Q][D], const float x[N][D], float best[Q], int arg[Q]) {
  static float d[Q][N];
  for (int i = 0; i < Q; i++)
    for (int j = 0; j < N; j++) {
      float s = 0;
      for (int k = 0; k < D; k++) { float e = q[i][k] - x[j][k]; s += e * e; }
      d[i][j] = s;
    }
  for (int i = 0; i < Q; i++) {
    float b = d[i][0]; int a = 0;
    for (int j = 1; j < N; j++)
      if (d[i][j] < b) { b = d[i][j]; a = j; }
    best[i] = b; arg[i] = a;
  }
}
