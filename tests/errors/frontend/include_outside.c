/* args: --sandbox-includes yes */
#include <math.h>
#include "../../command_line.py"
#ifdef __GNUC__
# /* who would look here? */ include "/etc/hostname"
#endif
#if 0
#in\
clude <../../../../../../../../../../etc/passwd>
#endif
#define NAME "sizes.h"
#include NAME
__asm__(".incbin \"/etc/hostname\"");
void f(float A[10])
{
  for (int i = 0; i < 10; i++)
    A[i] = 0.0f;
}
