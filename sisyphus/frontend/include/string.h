/* What C files may need of <string.h>: declarations only, a kernel calls none of them. */
#ifndef SISYPHUS_STRING_H
#define SISYPHUS_STRING_H
#include <stddef.h>
void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
int memcmp(const void *left, const void *right, size_t size);
size_t strlen(const char *text);
char *strcpy(char *to, const char *from);
char *strncpy(char *to, const char *from, size_t size);
char *strcat(char *to, const char *from);
int strcmp(const char *left, const char *right);
int strncmp(const char *left, const char *right, size_t size);
char *strchr(const char *text, int c);
char *strstr(const char *text, const char *part);
char *strtok(char *text, const char *separators);
char *strdup(const char *text);
char *strerror(int number);
#endif
