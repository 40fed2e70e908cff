/* What C files may need of <ctype.h>: declarations only. */
#ifndef SISYPHUS_CTYPE_H
#define SISYPHUS_CTYPE_H
int isalpha(int c);
int isdigit(int c);
int isspace(int c);
int tolower(int c);
int toupper(int c);
#endif
