/* What C files may need of <errno.h>. */
#ifndef SISYPHUS_ERRNO_H
#define SISYPHUS_ERRNO_H
extern int errno;
#endif
