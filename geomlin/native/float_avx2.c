/* The kernels in single precision, 8 lanes. */
#include "levels.h"

#ifdef ROTOR_X86
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#define REAL float
#define REAL_BYTES 4
#define LANE_INDEX int32_t
#define SIGNS signs_float
#define VECTOR_BYTES 32
#define ACCUMULATORS 8
#define TILE_COLUMNS 2
#define LEVEL_NAME "avx2"
#define KERNELS rotor_float_avx2
#include "kernels.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
