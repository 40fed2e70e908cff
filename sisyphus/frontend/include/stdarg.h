/* What C files may need of <stdarg.h>: enough to be read past. */
#ifndef SISYPHUS_STDARG_H
#define SISYPHUS_STDARG_H
typedef struct sisyphus_va_list *va_list;
#define va_start(list, last) ((void)0)
#define va_end(list) ((void)0)
#define va_copy(to, from) ((void)0)
#define va_arg(list, type) (*(type *)(list))
#endif
