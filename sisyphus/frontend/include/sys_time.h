/* What C files may need of <sys/time.h>: declarations only. */
#ifndef SISYPHUS_SYS_TIME_H
#define SISYPHUS_SYS_TIME_H
#include <time.h>
struct timeval { time_t tv_sec; long tv_usec; };
struct timezone { int tz_minuteswest; int tz_dsttime; };
int gettimeofday(struct timeval *now, struct timezone *zone);
#endif
