/* What C files may need of <sys/types.h>. */
#ifndef SISYPHUS_SYS_TYPES_H
#define SISYPHUS_SYS_TYPES_H
#include <stddef.h>
typedef long ssize_t;
typedef long off_t;
typedef int pid_t;
#endif
