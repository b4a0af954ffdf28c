/* Coefficients of a group of rows <-> blocks of their even parts.

   slots    vectors (c, q, u, w, v): the coefficients, one lane for each row
   blocks   a matrix for each block t

   X[t, q, j^u, j] = sum_w (-1)^(t w) sum_v (-1)^|v & j| sign x[c, q, u, w, v]. */

/* rows x size numbers -> slots; absent rows are zero. */
static void load_rows(const rotor_plan *plan, const REAL *x, ptrdiff_t distance, int rows, V *slots)
{
    const int size = plan->size;
    if (size < LANES) {
        for (int k = 0; k < size; k++) {
            V v = {0};
            for (int i = 0; i < rows; i++) v[i] = x[i * distance + k];
            slots[plan->group_slot[k]] = v;
        }
        return;
    }
    for (int k = 0; k < size; k += LANES) {
        V r[LANES];
        if (rows == LANES) {
            UNROLL for (int i = 0; i < LANES; i++) r[i] = load(x + i * distance + k);
        } else {
            for (int i = 0; i < LANES; i++) r[i] = i < rows ? load(x + i * distance + k) : (V){0};
        }
        transpose(r);
        UNROLL for (int i = 0; i < LANES; i++) slots[plan->group_slot[k + i]] = r[i];
    }
}

/* Inverse of load_rows. */
static void store_rows(const rotor_plan *plan, const V *slots, REAL *y, ptrdiff_t distance,
                       int rows)
{
    const int size = plan->size;
    if (size < LANES) {
        for (int k = 0; k < size; k++)
            for (int i = 0; i < rows; i++)
                y[i * distance + k] = slots[plan->group_slot[k]][i];
        return;
    }
    for (int k = 0; k < size; k += LANES) {
        V r[LANES];
        UNROLL for (int i = 0; i < LANES; i++) r[i] = slots[plan->group_slot[k + i]];
        transpose(r);
        if (rows == LANES) {
            UNROLL for (int i = 0; i < LANES; i++) store(y + i * distance + k, r[i]);
        } else {
            for (int i = 0; i < rows; i++) store(y + i * distance + k, r[i]);
        }
    }
}

/* One u and q of the formula above, written to column j, row j^u of the block. */
ALWAYS void one_diagonal(const int order, int blocks, const V *slots, const REAL *signs, int t,
                         int u, V *block)
{
    V r[16];
    UNROLL for (int v = 0; v < order; v++) r[v] = slots[v] * signs[v];
    if (blocks == 2 && t == 0) {
        UNROLL for (int v = 0; v < order; v++) r[v] += slots[order + v] * signs[order + v];
    } else if (blocks == 2) {
        UNROLL for (int v = 0; v < order; v++) r[v] -= slots[order + v] * signs[order + v];
    }
    hadamard(order, r);
    UNROLL for (int j = 0; j < order; j++) block[(j ^ u) * ROW_LENGTH(order) + j] = r[j];
}

ALWAYS void to_blocks_of(const int order, const rotor_plan *plan, const V *slots, int c, int t,
                         int conjugate, matrix X)
{
    const int units = plan->units, blocks = plan->blocks;
    const size_t block = BLOCK_LENGTH(order);
    const REAL *signs = plan->SIGNS + (conjugate ? plan->size : 0);
    for (int u = 0; u < order; u++) {
        for (int q = 0; q < units; q++) {
            const size_t slot = (size_t)((c * units + q) * order + u) * blocks * order;
            one_diagonal(order, blocks, slots + slot, signs + slot, t, u, X.plain + q * block);
        }
        for (int j = 0; units > 1 && j < order; j++)
            unit_sums(units, X, block, (j ^ u) * ROW_LENGTH(order) + j);
    }
}

static void to_blocks(const rotor_plan *plan, const V *slots, int c, int t, int conjugate, matrix X)
{
    switch (plan->order) {
    case 1: to_blocks_of(1, plan, slots, c, t, conjugate, X); break;
    case 2: to_blocks_of(2, plan, slots, c, t, conjugate, X); break;
    case 4: to_blocks_of(4, plan, slots, c, t, conjugate, X); break;
    case 8: to_blocks_of(8, plan, slots, c, t, conjugate, X); break;
    default: to_blocks_of(16, plan, slots, c, t, conjugate, X);
    }
}

/* The transposed map, from the blocks Y[t] of parity c; it is the inverse times blocks * order. */
ALWAYS void from_blocks_of(const int order, const rotor_plan *plan, const V *Y, int c, V *slots)
{
    const int units = plan->units, blocks = plan->blocks;
    const size_t block = BLOCK_LENGTH(order);
    for (int u = 0; u < order; u++)
        for (int q = 0; q < units; q++)
            for (int w = 0; w < blocks; w++) {
                V r[16];
                const V *first = Y + q * block, *second = first + units * block;
                UNROLL for (int j = 0; j < order; j++)
                    r[j] = first[(j ^ u) * ROW_LENGTH(order) + j];
                if (blocks == 2 && w == 0) {
                    UNROLL for (int j = 0; j < order; j++)
                        r[j] += second[(j ^ u) * ROW_LENGTH(order) + j];
                } else if (blocks == 2) {
                    UNROLL for (int j = 0; j < order; j++)
                        r[j] -= second[(j ^ u) * ROW_LENGTH(order) + j];
                }
                hadamard(order, r);
                const size_t slot = (size_t)(((c * units + q) * order + u) * blocks + w) * order;
                UNROLL for (int v = 0; v < order; v++)
                    slots[slot + v] = r[v] * plan->SIGNS[slot + v];
            }
}

static void from_blocks(const rotor_plan *plan, const V *Y, int c, V *slots)
{
    switch (plan->order) {
    case 1: from_blocks_of(1, plan, Y, c, slots); break;
    case 2: from_blocks_of(2, plan, Y, c, slots); break;
    case 4: from_blocks_of(4, plan, Y, c, slots); break;
    case 8: from_blocks_of(8, plan, Y, c, slots); break;
    default: from_blocks_of(16, plan, Y, c, slots);
    }
}
