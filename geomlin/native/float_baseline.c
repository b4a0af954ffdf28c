/* The kernels in single precision, 4 lanes, for any processor. */
#include "levels.h"

#define REAL float
#define REAL_BYTES 4
#define LANE_INDEX int32_t
#define SIGNS signs_float
#define VECTOR_BYTES 16
#define ACCUMULATORS 8
#define TILE_COLUMNS 2
#define LEVEL_NAME "baseline"
#define KERNELS rotor_float_baseline
#include "kernels.h"
