/* Sparse matrix times vector in ELL format: eight entries a row, columns by data, masked to the vector. */
#define ROWS 256
#define NNZ 8
void spmv_ell(const float val[ROWS][NNZ], const int col[ROWS][NNZ], const float x[ROWS], float y[ROWS])
{
  for (int i = 0; i < ROWS; i++) {
    float s = 0.0f;
    for (int k = 0; k < NNZ; k++) {
      s += val[i][k] * x[col[i][k] & (ROWS - 1)];
    }
    y[i] = s;
  }
}
