/* What C files may need of <strings.h>. */
#ifndef SISYPHUS_STRINGS_H
#define SISYPHUS_STRINGS_H
#include <stddef.h>
int strcasecmp(const char *left, const char *right);
void bzero(void *to, size_t size);
#endif
