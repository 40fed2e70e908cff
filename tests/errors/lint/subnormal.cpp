#include <cmath>

void step(float a[64]) {
    for (int i = 0; i < 64; ++i)
        if (std::isnormal(a[i])) a[i] = a[i] + 1e-40f + 0.0f + 1e-30f;
}
