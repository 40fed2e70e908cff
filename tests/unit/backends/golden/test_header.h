#ifndef SISY_KERNEL_GEMM_H
#define SISY_KERNEL_GEMM_H

#include <hls_vector.h>

extern "C" {
void kernel_gemm(float alpha, float beta, hls::vector<float, 4> *C, const hls::vector<float, 2> *A, const hls::vector<float, 4> *B);
}

#endif
