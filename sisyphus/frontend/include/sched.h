/* What C files may need of <sched.h>: declarations only. */
#ifndef SISYPHUS_SCHED_H
#define SISYPHUS_SCHED_H
#include <sys/types.h>
struct sched_param { int sched_priority; };
#define SCHED_FIFO 1
int sched_setscheduler(pid_t process, int policy, const struct sched_param *parameters);
int sched_get_priority_max(int policy);
#endif
