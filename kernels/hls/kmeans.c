/* One assignment step of k-means: the nearest of K centres for each of N points. */

#define N 256
#define K 8
#define D 4

void kernel_kmeans(const float point[N][D], const float centre[K][D], int label[N], float distance[N])
{
  for (int i = 0; i < N; i++) {
    float best = 1e30f;
    int nearest = 0;
    for (int k = 0; k < K; k++) {
      float d = 0.0f;
      for (int j = 0; j < D; j++) {
        float x = point[i][j] - centre[k][j];
        d += x * x;
      }
      if (d < best) {
        best = d;
        nearest = k;
      }
    }
    label[i] = nearest;
    distance[i] = best;
  }
}
