// The math functions of namespace hls on the host: those of the C library, in the precision that the name says.
#ifndef SISY_HLS_MATH_H
#define SISY_HLS_MATH_H

#include <math.h>

#include <cmath>

namespace hls {

#define SISY_MATH_1(name)                                  \
    inline double name(double x) { return ::name(x); }     \
    inline float name(float x) { return ::name##f(x); }    \
    inline float name##f(float x) { return ::name##f(x); }
#define SISY_MATH_2(name)                                                \
    inline double name(double x, double y) { return ::name(x, y); }      \
    inline float name(float x, float y) { return ::name##f(x, y); }      \
    inline float name##f(float x, float y) { return ::name##f(x, y); }

SISY_MATH_1(acos)
SISY_MATH_1(acosh)
SISY_MATH_1(asin)
SISY_MATH_1(asinh)
SISY_MATH_1(atan)
SISY_MATH_1(atanh)
SISY_MATH_1(cbrt)
SISY_MATH_1(ceil)
SISY_MATH_1(cos)
SISY_MATH_1(cosh)
SISY_MATH_1(erf)
SISY_MATH_1(erfc)
SISY_MATH_1(exp)
SISY_MATH_1(exp2)
SISY_MATH_1(expm1)
SISY_MATH_1(fabs)
SISY_MATH_1(floor)
SISY_MATH_1(lgamma)
SISY_MATH_1(log)
SISY_MATH_1(log10)
SISY_MATH_1(log1p)
SISY_MATH_1(log2)
SISY_MATH_1(logb)
SISY_MATH_1(nearbyint)
SISY_MATH_1(rint)
SISY_MATH_1(round)
SISY_MATH_1(sin)
SISY_MATH_1(sinh)
SISY_MATH_1(sqrt)
SISY_MATH_1(tan)
SISY_MATH_1(tanh)
SISY_MATH_1(tgamma)
SISY_MATH_1(trunc)
SISY_MATH_2(atan2)
SISY_MATH_2(copysign)
SISY_MATH_2(fdim)
SISY_MATH_2(fmax)
SISY_MATH_2(fmin)
SISY_MATH_2(fmod)
SISY_MATH_2(hypot)
SISY_MATH_2(nextafter)
SISY_MATH_2(pow)
SISY_MATH_2(remainder)

inline double fma(double x, double y, double z) { return ::fma(x, y, z); }
inline float fma(float x, float y, float z) { return ::fmaf(x, y, z); }
inline float fmaf(float x, float y, float z) { return ::fmaf(x, y, z); }

#undef SISY_MATH_1
#undef SISY_MATH_2

}  // namespace hls

#endif
