/* The kernels in double precision, 8 lanes. */
#include "levels.h"

#ifdef ROTOR_X86
#if defined(__clang__)
#pragma clang attribute push(                                                                    \
    __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")
#endif
#define REAL double
#define REAL_BYTES 8
#define LANE_INDEX int64_t
#define SIGNS signs_double
#define VECTOR_BYTES 64
#define ACCUMULATORS 16
#define TILE_COLUMNS 4
#define LEVEL_NAME "avx512"
#define KERNELS rotor_double_avx512
#include "kernels.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
