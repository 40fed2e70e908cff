"""Functions that the C library declares beside a kernel: no kernel can be called like one of them in C++."""

import re

# Those of math.h, stdio.h, stdlib.h, string.h, strings.h, sys/resource.h, time.h and unistd.h, as glibc 2.36 has them.
C_FUNCTIONS = frozenset(
    re.findall(
        r"\w+",
        """
    a64l abort abs access acct acos acosf acosh acoshf acoshl acosl alarm alloca arc4random arc4random_buf
    arc4random_uniform asctime asctime_r asin asinf asinh asinhf asinhl asinl atan atan2 atan2f atan2l atanf atanh
    atanhf atanhl atanl atexit atof atoi atol atoll bcmp bcopy brk bsearch bzero calloc cbrt cbrtf cbrtl ceil ceilf
    ceill chdir chown chroot clearenv clearerr clearerr_unlocked clock clock_getcpuclockid clock_getres
    clock_gettime clock_nanosleep clock_settime close closefrom confstr copysign copysignf copysignl cos cosf cosh
    coshf coshl cosl crypt ctermid ctime ctime_r daemon difftime div dprintf drand48 drand48_r drem dremf dreml dup
    dup2 dysize ecvt ecvt_r endusershell erand48 erand48_r erf erfc erfcf erfcl erff erfl execl execle execlp execv
    execve execvp exit exp exp2 exp2f exp2l expf expl explicit_bzero expm1 expm1f expm1l fabs fabsf fabsl faccessat
    fchdir fchown fchownat fclose fcvt fcvt_r fdatasync fdim fdimf fdiml fdopen feof feof_unlocked ferror
    ferror_unlocked fexecve fflush fflush_unlocked ffs ffsl ffsll fgetc fgetc_unlocked fgetpos fgets fileno
    fileno_unlocked finite finitef finitel flockfile floor floorf floorl fma fmaf fmal fmax fmaxf fmaxl fmemopen
    fmin fminf fminl fmod fmodf fmodl fopen fork fpathconf fprintf fputc fputc_unlocked fputs fread fread_unlocked
    free freopen frexp frexpf frexpl fscanf fseek fseeko fsetpos fsync ftell ftello ftruncate ftrylockfile
    funlockfile fwrite fwrite_unlocked gamma gammaf gammal gcvt getc getc_unlocked getchar getchar_unlocked getcwd
    getdelim getdomainname getdtablesize getegid getentropy getenv geteuid getgid getgroups gethostid gethostname
    getline getloadavg getlogin getlogin_r getopt getpagesize getpass getpgid getpgrp getpid getppid getpriority
    getrlimit getrusage gets getsid getsubopt getuid getusershell getw getwd gmtime gmtime_r hypot hypotf hypotl
    ilogb ilogbf ilogbl index initstate initstate_r isatty isinf isinff isinfl isnan isnanf isnanl j0 j0f j0l j1
    j1f j1l jn jnf jnl jrand48 jrand48_r l64a labs lchown lcong48 lcong48_r ldexp ldexpf ldexpl ldiv lgamma lgamma_r
    lgammaf lgammaf_r lgammal lgammal_r link linkat llabs lldiv llrint llrintf llrintl llround llroundf llroundl
    localtime localtime_r lockf log log10 log10f log10l log1p log1pf log1pl log2 log2f log2l logb logbf logbl logf
    logl lrand48 lrand48_r lrint lrintf lrintl lround lroundf lroundl lseek malloc mblen mbstowcs mbtowc memccpy
    memchr memcmp memcpy memmove memset mkdtemp mkstemp mkstemps mktemp mktime modf modff modfl mrand48 mrand48_r
    nan nanf nanl nanosleep nearbyint nearbyintf nearbyintl nextafter nextafterf nextafterl nexttoward nexttowardf
    nexttowardl nice nrand48 nrand48_r on_exit open_memstream pathconf pause pclose perror pipe popen posix_memalign
    pow powf powl pread printf profil pselect putc putc_unlocked putchar putchar_unlocked putenv puts putw pwrite
    qecvt qecvt_r qfcvt qfcvt_r qgcvt qsort rand rand_r random random_r read readlink readlinkat realloc
    reallocarray realpath remainder remainderf remainderl remove remquo remquof remquol rename renameat revoke
    rewind rindex rint rintf rintl rmdir round roundf roundl rpmatch sbrk scalb scalbf scalbl scalbln scalblnf
    scalblnl scalbn scalbnf scalbnl scanf seed48 seed48_r select setbuf setbuffer setdomainname setegid setenv
    seteuid setgid sethostid sethostname setlinebuf setlogin setpgid setpgrp setpriority setregid setreuid setrlimit
    setsid setstate setstate_r setuid setusershell setvbuf significand significandf significandl sin sinf sinh sinhf
    sinhl sinl sleep snprintf sprintf sqrt sqrtf sqrtl srand srand48 srand48_r srandom srandom_r sscanf stpcpy
    stpncpy strcasecmp strcasecmp_l strcat strchr strcmp strcoll strcoll_l strcpy strcspn strdup strerror strerror_l
    strerror_r strftime strftime_l strlen strncasecmp strncasecmp_l strncat strncmp strncpy strndup strnlen strpbrk
    strrchr strsep strsignal strspn strstr strtod strtof strtok strtok_r strtol strtold strtoll strtoq strtoul
    strtoull strtouq strxfrm strxfrm_l symlink symlinkat sync syscall sysconf system tan tanf tanh tanhf tanhl tanl
    tcgetpgrp tcsetpgrp tempnam tgamma tgammaf tgammal time timegm timelocal timer_create timer_delete
    timer_getoverrun timer_gettime timer_settime tmpfile tmpnam tmpnam_r trunc truncate truncf truncl ttyname
    ttyname_r ttyslot tzset ualarm ungetc unlink unlinkat unsetenv usleep valloc vdprintf vfork vfprintf vfscanf
    vhangup vprintf vscanf vsnprintf vsprintf vsscanf wcstombs wctomb write y0 y0f y0l y1 y1f y1l yn ynf ynl
    """,
    )
)
