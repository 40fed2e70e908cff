/* What C files may need of <time.h>: declarations only. */
#ifndef SISYPHUS_TIME_H
#define SISYPHUS_TIME_H
#include <stddef.h>
#define CLOCKS_PER_SEC 1000000L
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
typedef long time_t;
typedef long clock_t;
typedef int clockid_t;
struct timespec { time_t tv_sec; long tv_nsec; };
time_t time(time_t *now);
clock_t clock(void);
double difftime(time_t later, time_t earlier);
int clock_gettime(clockid_t clock, struct timespec *now);
#endif
