/* The kernels in double precision, 2 lanes, for any processor. */
#include "levels.h"

#define REAL double
#define REAL_BYTES 8
#define LANE_INDEX int64_t
#define SIGNS signs_double
#define VECTOR_BYTES 16
#define ACCUMULATORS 8
#define TILE_COLUMNS 2
#define LEVEL_NAME "baseline"
#define KERNELS rotor_double_baseline
#include "kernels.h"
