/* Which instruction sets are compiled: each file of kernels compiles itself for one of them. */
#ifndef GEOMLIN_LEVELS_H
#define GEOMLIN_LEVELS_H

#include "rotor.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define ROTOR_X86 1
extern const rotor_kernels rotor_float_avx2, rotor_double_avx2;
extern const rotor_kernels rotor_float_avx512, rotor_double_avx512;
#endif
extern const rotor_kernels rotor_float_baseline, rotor_double_baseline;

#endif
