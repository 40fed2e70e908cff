/* Forward probabilities of a hidden Markov model, 64 states and 512 steps, scaled. */

#define S 64
#define T 512
void kernel_hmm(const float A[S][S], const float e[T][S], const float pi[S], float alpha[T][S]) {
  for (int s = 0; s < S; s++) alpha[0][s] = pi[s] * e[0][s];
  for (int t = 1; t < T; t++) {
    float z = 0;
    for (int s = 0; s < S; s++) {
      float a = 0;
      for (int r = 0; r < S; r++) a += alpha[t - 1][r] * A[r][s];
      alpha[t][s] = a * e[t][s];
      z += alpha[t][s];
    }
    for (int s = 0; s < S; s++) alpha[t][s] /= z;
  }
}
