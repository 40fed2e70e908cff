/* What C files may need of <omp.h>: declarations only; OpenMP pragmas are ignored. */
#ifndef SISYPHUS_OMP_H
#define SISYPHUS_OMP_H
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_thread_num(void);
void omp_set_num_threads(int count);
double omp_get_wtime(void);
#endif
