/* Conditions on data: kept values, both branches, conditions that a branch changes, mixed with affine ones, jumps. */

#define N 9
#define M 6

void data_conditions(float A[N][M], float B[N], int label[N], float C[N][M], int D[N], float lo, int mode)
{
  for (int i = 0; i < N; i++) {
    float best = 1e30f;
    int at = -1;
    for (int j = 0; j < M; j++) {
      float d = (A[i][j] - 0.5f) * (A[i][j] - 0.5f);
      if (d < best) {
        best = d;
        at = j;
      }
    }
    B[i] = best;
    label[i] = at;
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      float x = A[i][j];
      if (x > 1.0f)
        x = 1.0f;
      else if (x < -1.0f)
        x = -1.0f;
      if (j > 0 && A[i][j - 1] > x)
        C[i][j] = A[i][j - 1] - x;
      else
        C[i][j] += 2.0f * x;
      if (j == 0 || !(C[i][j] < lo && i < N - 1))
        C[i][j] -= 0.25f;
      if (C[i][j] > 0 || j == 2) {
        C[i][j] = -C[i][j];
        A[i][j] = C[i][j];
        if (A[i][j] < -0.5f && i > 2)
          A[i - 1][j] += C[i][j];
      }
    }
  for (int i = 0; i < N; i++) {
    if (D[i] == 0)
      continue;
    label[i] += 100 / D[i];
    if (i % 2 == 0 || i * i > 50)
      D[i] = label[i] & 7;
    else {
      if (label[i] > 20)
        continue;
      D[i] += 3;
    }
    if (D[i] > 5) {
      float t[2];
      for (int k = 0; k < 2; k++)
        t[k] = A[i][k] * D[i];
      for (int k = 0; k < 2; k++)
        B[i] += t[k];
      D[i] = 0;
    }
    D[i]++;
  }
  for (int i = 0; i < N; i++) {
    int steps = 0;
    for (int j = 0; j < M; j++) {
      if (A[i][j] > 2.0f)
        continue;
      steps++;
      if (A[i][j] < -1.5f && j > 1)
        break;
      label[i] += j;
      if (steps > 3)
        break;
      C[i][j] += 1.0f;
    }
    for (int j = 0; j < M && C[i][j] < 2.0f; ++j)
      C[i][j] *= 2.0f;
    label[i] -= steps;
  }
  for (int i = 0; i < N; i++) {
    switch (D[i] & 3) {
    case 0:
      label[i] = 1;
      break;
    case 1:
    case 2:
      label[i] *= 2;
      B[i] = 0.5f;
      break;
    default:
      if (i == 3)
        D[i] -= 1;
    }
  unused:
    D[i] += 2;
  }
  if (mode) {
    float y;
    for (int i = 0; i < N; i++) {
      float z;
      if (B[i] > lo) {
        z = B[i];
        y = z + 1;
      } else {
        z = -B[i];
        y = z - 1;
        D[i] -= 1;
      }
      B[i] = y * z;
    }
  }
  if (!mode)
    return;
  B[0] += 1.0f;
}
