/* What C files may need of <malloc.h>. */
#ifndef SISYPHUS_MALLOC_H
#define SISYPHUS_MALLOC_H
#include <stdlib.h>
void *memalign(size_t alignment, size_t size);
#endif
