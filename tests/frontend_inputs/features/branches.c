/* Conditions that split domains: conjunctions, disjunctions, negations, chains of else. */

#define N 9

void branches(float A[N][N], float B[N][N])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      if (i == j)
        A[i][j] = 1.0f;
      else if (i < j && j < i + 4)
        A[i][j] = 2.0f * B[i][j];
      else if (!(i > 5 || j > 5))
        A[i][j] -= B[j][i];
      else {
        if (i != 7)
          A[i][j] += 0.5f;
        if (j)
          B[i][j - 1] = A[i][j];
      }
      if ((i >= 3 && j >= 3) || (i + j == 2) || i - j > 6)
        B[i][j] *= 3.0f;
      if (1) {
        if (N > 100)
          B[i][j] = 0.0f;
        else
          B[i][j] += 1.0f;
      }
      if (!(i != 2)) ; else { }
      A[i][j] = i < 4 && j > 2 ? A[i][j] : B[i][j];
      B[j][i] = i == 3 ? j : i * 2;
    }
}
