/* The kernels in single precision, 16 lanes. */
#include "levels.h"

#ifdef ROTOR_X86
#if defined(__clang__)
#pragma clang attribute push(                                                                    \
    __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")
#endif
#define REAL float
#define REAL_BYTES 4
#define LANE_INDEX int32_t
#define SIGNS signs_float
#define VECTOR_BYTES 64
#define ACCUMULATORS 16
#define TILE_COLUMNS 4
#define LEVEL_NAME "avx512"
#define KERNELS rotor_float_avx512
#include "kernels.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
