/* The kernels of one instruction set in one precision.  The including file defines
   REAL, REAL_BYTES, LANE_INDEX, SIGNS (the sign tables of a plan in that precision), VECTOR_BYTES,
   ACCUMULATORS (registers for sums), TILE_COLUMNS, LEVEL_NAME and KERNELS. */

#include "vector.h"
#include "multiply.h"
#include "transform.h"
#include "group.h"
#if REAL_BYTES == 8
#include "bivector.h"
#endif

/* unit_p unit_q = UNIT_SIGN[p][q] unit_(p^q), with units 1, i, j, k. */
static const int UNIT_SIGN[4][4] = {{1, 1, 1, 1}, {1, -1, 1, -1}, {1, -1, -1, 1}, {1, 1, -1, -1}};

#define ORDER 8
#include "single.h"
#undef ORDER
#define ORDER 16
#include "single.h"
#undef ORDER

/* Tables of all pairs for one row: A[t][k][i][q], scaled, then S[c][t][q][k][j]. */
static void pack_singles(const rotor_plan *plan, int pairs, const REAL *A, const REAL *S,
                         const double *scale, REAL *tables)
{
    const int order = plan->order, units = plan->units, area = order * order;
    for (int pair = 0; pair < pairs; pair++) {
        const REAL factor = (REAL)((scale ? scale[pair] : 1.0) / (plan->blocks * order));
        for (int t = 0; t < plan->blocks; t++, A += units * area)
            for (int k = 0; k < order; k++)
                for (int i = 0; i < order; i++)
                    for (int q = 0; q < units; q++)
                        *tables++ = A[q * area + i * order + k] * factor;
        for (int e = 0; e < 2 * plan->blocks * units * area; e++) *tables++ = *S++;
    }
}

static void pack(const rotor_plan *plan, int pairs, const void *A, const void *S,
                 const double *scale, void *tables)
{
    pack_groups(plan, pairs, A, S, scale, tables);
    if (plan->order >= 8)
        pack_singles(plan, pairs, A, S, scale, (REAL *)tables + pairs * PAIR_TABLE(plan));
}

static void forward_single(const rotor_plan *plan, const rotor_batch *batch, const void *tables,
                           const void *x, void *y, void *memory)
{
    const size_t pairs = (size_t)batch->inputs * batch->outputs;
    const REAL *single = (const REAL *)tables + pairs * PAIR_TABLE(plan);
    if (plan->order == 8)
        forward_single8(plan, batch, single, x, y, memory);
    else
        forward_single16(plan, batch, single, x, y, memory);
}

const rotor_kernels KERNELS = {
    .name = LEVEL_NAME,
    .lanes = LANES,
    .real_size = sizeof(REAL),
    .pack = pack,
    .pack_adjoint = pack_adjoint,
    .forward_memory = forward_memory,
    .forward_group = forward_group,
    .forward_single = forward_single,
    .backward_memory = backward_memory,
    .backward_group = backward_group,
#if REAL_BYTES == 8
    .apply_vector = apply_vector,
#endif
};
