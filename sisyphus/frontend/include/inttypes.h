/* What C files may need of <inttypes.h>. */
#ifndef SISYPHUS_INTTYPES_H
#define SISYPHUS_INTTYPES_H
#include <stdint.h>
#define PRId32 "d"
#define PRId64 "ld"
#define PRIu32 "u"
#define PRIu64 "lu"
#endif
