/* The kernels in double precision, 4 lanes. */
#include "levels.h"

#ifdef ROTOR_X86
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#define REAL double
#define REAL_BYTES 8
#define LANE_INDEX int64_t
#define SIGNS signs_double
#define VECTOR_BYTES 32
#define ACCUMULATORS 8
#define TILE_COLUMNS 2
#define LEVEL_NAME "avx2"
#define KERNELS rotor_double_avx2
#include "kernels.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
