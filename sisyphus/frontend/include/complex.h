/* What a kernel may need of <complex.h>: its values are pairs before anything else is made of them. */
#ifndef SISYPHUS_COMPLEX_H
#define SISYPHUS_COMPLEX_H
#define complex _Complex
#define I _Complex_I
double hypot(double x, double y);
float hypotf(float x, float y);
double atan2(double y, double x);
float atan2f(float y, float x);
#endif
