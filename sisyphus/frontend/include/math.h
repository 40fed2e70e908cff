/* What a kernel may need of <math.h>: declarations only; the compiler that verifies uses the real header. */
#ifndef SISYPHUS_MATH_H
#define SISYPHUS_MATH_H
#define HUGE_VAL (1.0 / 0.0)
#define HUGE_VALF INFINITY
#define INFINITY (1.0f / 0.0f)
#define NAN (0.0f / 0.0f)
#define M_E 2.7182818284590452354
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define SISYPHUS_ONE(name) double name(double x); float name##f(float x);
#define SISYPHUS_TWO(name) double name(double x, double y); float name##f(float x, float y);
SISYPHUS_ONE(acos) SISYPHUS_ONE(acosh) SISYPHUS_ONE(asin) SISYPHUS_ONE(asinh) SISYPHUS_ONE(atan) SISYPHUS_ONE(atanh)
SISYPHUS_ONE(cbrt) SISYPHUS_ONE(ceil) SISYPHUS_ONE(cos) SISYPHUS_ONE(cosh) SISYPHUS_ONE(erf) SISYPHUS_ONE(erfc)
SISYPHUS_ONE(exp) SISYPHUS_ONE(exp2) SISYPHUS_ONE(expm1) SISYPHUS_ONE(fabs) SISYPHUS_ONE(floor) SISYPHUS_ONE(lgamma)
SISYPHUS_ONE(log) SISYPHUS_ONE(log10) SISYPHUS_ONE(log1p) SISYPHUS_ONE(log2) SISYPHUS_ONE(logb) SISYPHUS_ONE(nearbyint)
SISYPHUS_ONE(rint) SISYPHUS_ONE(round) SISYPHUS_ONE(sin) SISYPHUS_ONE(sinh) SISYPHUS_ONE(sqrt) SISYPHUS_ONE(tan)
SISYPHUS_ONE(tanh) SISYPHUS_ONE(tgamma) SISYPHUS_ONE(trunc)
SISYPHUS_TWO(atan2) SISYPHUS_TWO(copysign) SISYPHUS_TWO(fdim) SISYPHUS_TWO(fmax) SISYPHUS_TWO(fmin) SISYPHUS_TWO(fmod)
SISYPHUS_TWO(hypot) SISYPHUS_TWO(nextafter) SISYPHUS_TWO(pow) SISYPHUS_TWO(remainder)
double fma(double x, double y, double z);
float fmaf(float x, float y, float z);
/* What is computed by others: of a value that no `long` can hold C says nothing. */
#define isnan(x) ((x) != (x))
#define isinf(x) ((x) == INFINITY ? 1 : (x) == -INFINITY ? -1 : 0)
#define isfinite(x) ((x) - (x) == 0)
#define lround(x) ((long)round(x))
#define lroundf(x) ((long)roundf(x))
#define llround(x) ((long long)round(x))
#define llroundf(x) ((long long)roundf(x))
#define lrint(x) ((long)rint(x))
#define lrintf(x) ((long)rintf(x))
#define llrint(x) ((long long)rint(x))
#define llrintf(x) ((long long)rintf(x))
/* No kernel calls these: they are declared so that the refusal says so. */
double ldexp(double x, int n); float ldexpf(float x, int n);
double scalbn(double x, int n); float scalbnf(float x, int n);
double frexp(double x, int *n); float frexpf(float x, int *n);
double modf(double x, double *n); float modff(float x, float *n);
double remquo(double x, double y, int *n); float remquof(float x, float y, int *n);
int ilogb(double x); int ilogbf(float x); int signbit(double x); int fpclassify(double x);
#endif
