/* What C files may need of <stdlib.h>: declarations only, a kernel calls none of them but `abs`. */
#ifndef SISYPHUS_STDLIB_H
#define SISYPHUS_STDLIB_H
#include <stddef.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *data, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
int posix_memalign(void **data, size_t alignment, size_t size);
void free(void *data);
void abort(void);
void exit(int status);
int atexit(void (*function)(void));
int system(const char *command);
char *getenv(const char *name);
int abs(int x);
long labs(long x);
long long llabs(long long x);
int atoi(const char *text);
long atol(const char *text);
double atof(const char *text);
long strtol(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
float strtof(const char *text, char **end);
double strtod(const char *text, char **end);
int rand(void);
void srand(unsigned int seed);
double drand48(void);
void srand48(long seed);
void qsort(void *data, size_t count, size_t size, int (*compare)(const void *, const void *));
#endif
