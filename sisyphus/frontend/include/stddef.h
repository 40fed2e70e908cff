/* What C files may need of <stddef.h>: declarations only. */
#ifndef SISYPHUS_STDDEF_H
#define SISYPHUS_STDDEF_H
typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef int wchar_t;
#define NULL ((void *)0)
#define offsetof(type, member) ((size_t)0)
#endif
