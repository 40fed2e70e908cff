/* Linear attention of 512 places to all before them. */

#define N 512
#define D 64
void kernel_attention_steps(const float k[N][D], const float v[N][D], const float q[N][D], float o[N][D]) {
  float S[D][D];
  for (int a = 0; a < D; a++) for (int b = 0; b < D; b++) S[a][b] = 0;
  for (int t = 0; t < N; t++) {
    for (int a = 0; a < D; a++)
      for (int b = 0; b < D; b++)
        S[a][b] += k[t][a] * v[t][b];
    for (int b = 0; b < D; b++) {
      float s = 0;
      for (int a = 0; a < D; a++) s += q[t][a] * S[a][b];
      o[t][b] = s;
    }
  }
}
