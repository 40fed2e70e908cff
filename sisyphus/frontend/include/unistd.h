/* What C files may need of <unistd.h>: declarations only. */
#ifndef SISYPHUS_UNISTD_H
#define SISYPHUS_UNISTD_H
#include <sys/types.h>
int close(int file);
int usleep(unsigned int microseconds);
unsigned int sleep(unsigned int seconds);
pid_t getpid(void);
long sysconf(int name);
#endif
