/* What C files may need of <sys/resource.h>: declarations only. */
#ifndef SISYPHUS_SYS_RESOURCE_H
#define SISYPHUS_SYS_RESOURCE_H
#include <sys/time.h>
#endif
