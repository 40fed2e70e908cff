/* Sparse matrix times vector in compressed rows: bounds and subscripts are data. */
#define ROWS 64
#define NONZERO 512

void spmv(const int start[ROWS + 1], const int column[NONZERO], const float value[NONZERO], const float x[ROWS], float y[ROWS])
{
  for (int i = 0; i < ROWS; i++) {
    float sum = 0.0f;
    for (int k = start[i]; k < start[i + 1]; k++)
      sum += value[k] * x[column[k]];
    y[i] = sum;
  }
}
