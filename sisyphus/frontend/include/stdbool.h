/* What C files may need of <stdbool.h>. */
#ifndef SISYPHUS_STDBOOL_H
#define SISYPHUS_STDBOOL_H
#define bool _Bool
#define true 1
#define false 0
#endif
