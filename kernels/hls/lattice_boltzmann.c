/* Streaming and collision of a D2Q5 lattice Boltzmann method, neighbours by constant tables of offsets. */
#define NX 24
#define NY 24
#define Q 5
#define STEPS 4
static const float weight[Q] = {1.f / 3, 1.f / 6, 1.f / 6, 1.f / 6, 1.f / 6};
static const int cx[Q] = {0, 1, 0, -1, 0};
static const int cy[Q] = {0, 0, 1, 0, -1};
void lattice_boltzmann(float f[Q][NY][NX], float omega)
{
  static float g[Q][NY][NX];
  for (int t = 0; t < STEPS; t++) {
    for (int y = 0; y < NY; y++)
      for (int x = 0; x < NX; x++) {
        float rho = 0;
        for (int q = 0; q < Q; q++) rho += f[q][y][x];
        for (int q = 0; q < Q; q++)
          g[q][y][x] = f[q][y][x] + omega * (weight[q] * rho - f[q][y][x]);
      }
    for (int q = 0; q < Q; q++)
      for (int y = 1; y < NY - 1; y++)
        for (int x = 1; x < NX - 1; x++)
          f[q][y][x] = g[q][y - cy[q]][x - cx[q]];
  }
}
