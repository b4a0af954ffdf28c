/* The action on one row, for blocks of ORDER = 8 or 16 rows: the lanes run over the columns.

   Included once for each ORDER.  A vector has at most ORDER lanes; a column of lanes is a piece. */

#define JOINED(name, order) name##order
#define JOIN(name, order) JOINED(name, order)
#define LOCAL(name) JOIN(name, ORDER)

#if ORDER * REAL_BYTES < VECTOR_BYTES
#define WIDTH ORDER
#else
#define WIDTH (VECTOR_BYTES / REAL_BYTES)
#endif
#define PIECES (ORDER / WIDTH)
#define AREA (ORDER * ORDER)
#define W LOCAL(row_vector)

typedef REAL W __attribute__((vector_size(WIDTH * REAL_BYTES)));
typedef REAL LOCAL(unaligned)
    __attribute__((vector_size(WIDTH * REAL_BYTES), aligned(sizeof(REAL)), may_alias));
typedef LANE_INDEX LOCAL(indices) __attribute__((vector_size(WIDTH * REAL_BYTES)));

ALWAYS W LOCAL(get)(const REAL *p) { return (W) * (const LOCAL(unaligned) *)p; }
ALWAYS void LOCAL(put)(REAL *p, W v) { *(LOCAL(unaligned) *)p = (LOCAL(unaligned))v; }

/* Lane j of the result is lane j ^ i of v. */
ALWAYS W LOCAL(crossed)(W v, int i)
{
    LOCAL(indices) from;
    UNROLL for (int lane = 0; lane < WIDTH; lane++) from[lane] = lane ^ (i & (WIDTH - 1));
#if defined(__clang__)
    W result;
    UNROLL for (int lane = 0; lane < WIDTH; lane++) result[lane] = v[from[lane]];
    return result;
#else
    return __builtin_shuffle(v, from);
#endif
}

ALWAYS void LOCAL(butterflies)(W *v)
{
    UNROLL for (int h = 1; h < ORDER; h *= 2)
        UNROLL for (int i = 0; i < ORDER; i++)
            if (!(i & h)) {
                const W a = v[i], b = v[i + h];
                v[i] = a + b;
                v[i + h] = a - b;
            }
}

/* Signed slots (c, w, q, v, u) -> X[q][i][j] of parity c and block t. */
static void LOCAL(single_to_blocks)(const rotor_plan *plan, const REAL *slots, int c, int t,
                                    REAL *X)
{
    const int units = plan->units, blocks = plan->blocks;
    for (int q = 0; q < units; q++) {
        const REAL *first = slots + (size_t)(c * blocks * units + q) * AREA;
        const REAL *second = first + (size_t)units * AREA;
        UNROLL for (int piece = 0; piece < PIECES; piece++) {
            W r[ORDER];
            UNROLL for (int v = 0; v < ORDER; v++)
                r[v] = LOCAL(get)(first + v * ORDER + piece * WIDTH);
            if (blocks == 2 && t == 0) {
                UNROLL for (int v = 0; v < ORDER; v++)
                    r[v] += LOCAL(get)(second + v * ORDER + piece * WIDTH);
            } else if (blocks == 2) {
                UNROLL for (int v = 0; v < ORDER; v++)
                    r[v] -= LOCAL(get)(second + v * ORDER + piece * WIDTH);
            }
            LOCAL(butterflies)(r);
            UNROLL for (int i = 0; i < ORDER; i++)
                LOCAL(put)(X + (q * ORDER + i) * ORDER + (piece ^ (i / WIDTH)) * WIDTH,
                           LOCAL(crossed)(r[i], i));
        }
    }
}

/* Y[t][q][i][j] of parity c -> slots, with the signs. */
static void LOCAL(single_from_blocks)(const rotor_plan *plan, const REAL *Y, int c, REAL *slots)
{
    const int units = plan->units, blocks = plan->blocks;
    const REAL *signs = plan->SIGNS + 2 * plan->size;
    for (int w = 0; w < blocks; w++)
        for (int q = 0; q < units; q++) {
            const REAL *first = Y + (size_t)q * AREA, *second = first + (size_t)units * AREA;
            const size_t to = (size_t)((c * blocks + w) * units + q) * AREA;
            UNROLL for (int piece = 0; piece < PIECES; piece++) {
                W r[ORDER];
                UNROLL for (int i = 0; i < ORDER; i++) {
                    const int from = i * ORDER + (piece ^ (i / WIDTH)) * WIDTH;
                    W v = LOCAL(get)(first + from);
                    if (blocks == 2)
                        v = w ? v - LOCAL(get)(second + from) : v + LOCAL(get)(second + from);
                    r[i] = LOCAL(crossed)(v, i);
                }
                LOCAL(butterflies)(r);
                UNROLL for (int v = 0; v < ORDER; v++) {
                    const size_t at = to + v * ORDER + piece * WIDTH;
                    LOCAL(put)(slots + at, r[v] * LOCAL(get)(signs + at));
                }
            }
        }
}

/* Z = A X of one block of K; table[k][i][p]. */
ALWAYS void LOCAL(single_left_of)(const int units, const REAL *table, const REAL *X, REAL *Z)
{
    enum { ROWS = ACCUMULATORS >= 16 ? 4 : 2 };
    const int rows = units == 4 ? ROWS : 2 * ROWS;
    for (int i0 = 0; i0 < ORDER; i0 += rows)
        UNROLL for (int piece = 0; piece < PIECES; piece++) {
            W sum[4][8];
            UNROLL for (int q = 0; q < units; q++) UNROLL for (int r = 0; r < rows; r++)
                sum[q][r] = (W){0};
            for (int k = 0; k < ORDER; k++) {
                W x[4];
                UNROLL for (int q = 0; q < units; q++)
                    x[q] = LOCAL(get)(X + (q * ORDER + k) * ORDER + piece * WIDTH);
                const REAL *a = table + (k * ORDER + i0) * units;
                UNROLL for (int r = 0; r < rows; r++) UNROLL for (int p = 0; p < units; p++) {
                    const W factor = a[r * units + p] - (W){0};
                    UNROLL for (int q = 0; q < units; q++) {
                        if (UNIT_SIGN[p][p ^ q] > 0)
                            sum[q][r] += factor * x[p ^ q];
                        else
                            sum[q][r] -= factor * x[p ^ q];
                    }
                }
            }
            UNROLL for (int q = 0; q < units; q++) UNROLL for (int r = 0; r < rows; r++)
                LOCAL(put)(Z + (q * ORDER + i0 + r) * ORDER + piece * WIDTH, sum[q][r]);
        }
}

/* Y = Z S of one block of K, or Y += Z S; table[p][k][j]. */
ALWAYS void LOCAL(single_right_of)(const int units, const REAL *table, const REAL *Z, int adds,
                                   REAL *Y)
{
    enum { ROWS = ACCUMULATORS >= 16 ? 4 : 2 };
    const int rows = units == 4 ? ROWS : 2 * ROWS;
    for (int i0 = 0; i0 < ORDER; i0 += rows)
        UNROLL for (int piece = 0; piece < PIECES; piece++) {
            W sum[4][8];
            UNROLL for (int q = 0; q < units; q++) UNROLL for (int r = 0; r < rows; r++)
                sum[q][r] = adds ? LOCAL(get)(Y + (q * ORDER + i0 + r) * ORDER + piece * WIDTH)
                                 : (W){0};
            for (int k = 0; k < ORDER; k++) {
                W s[4];
                UNROLL for (int p = 0; p < units; p++)
                    s[p] = LOCAL(get)(table + (p * ORDER + k) * ORDER + piece * WIDTH);
                UNROLL for (int r = 0; r < rows; r++) UNROLL for (int p = 0; p < units; p++) {
                    const W factor = Z[(p * ORDER + i0 + r) * ORDER + k] - (W){0};
                    UNROLL for (int q = 0; q < units; q++) {
                        if (UNIT_SIGN[p][p ^ q] > 0)
                            sum[q][r] += factor * s[p ^ q];
                        else
                            sum[q][r] -= factor * s[p ^ q];
                    }
                }
            }
            UNROLL for (int q = 0; q < units; q++) UNROLL for (int r = 0; r < rows; r++)
                LOCAL(put)(Y + (q * ORDER + i0 + r) * ORDER + piece * WIDTH, sum[q][r]);
        }
}

static void LOCAL(single_left)(int units, const REAL *table, const REAL *X, REAL *Z)
{
    if (units == 1) LOCAL(single_left_of)(1, table, X, Z);
#if ORDER == 16  /* blocks of 8 rows are real */
    if (units == 2) LOCAL(single_left_of)(2, table, X, Z);
    if (units == 4) LOCAL(single_left_of)(4, table, X, Z);
#endif
}

static void LOCAL(single_right)(int units, const REAL *table, const REAL *Z, int adds, REAL *Y)
{
    if (units == 1) LOCAL(single_right_of)(1, table, Z, adds, Y);
#if ORDER == 16  /* blocks of 8 rows are real */
    if (units == 2) LOCAL(single_right_of)(2, table, Z, adds, Y);
    if (units == 4) LOCAL(single_right_of)(4, table, Z, adds, Y);
#endif
}

/* One row.  Memory: slots of max(inputs, outputs) chunks, X of the inputs, Y of the outputs, Z. */
static void LOCAL(forward_single)(const rotor_plan *plan, const rotor_batch *batch,
                                  const REAL *tables, const REAL *x, REAL *y, REAL *memory)
{
    const int inputs = batch->inputs, outputs = batch->outputs, blocks = plan->blocks;
    const size_t size = plan->size, block = (size_t)plan->units * AREA;
    const REAL *signs = plan->SIGNS + 2 * size;
    REAL *slots = memory, *X = slots + size * (inputs > outputs ? inputs : outputs);
    REAL *Y = X + inputs * block, *Z = Y + outputs * blocks * block;
    for (int i = 0; i < inputs; i++)
        for (size_t k = 0; k < size; k++)
            slots[i * size + k] = x[i * size + plan->single_from[k]] * signs[k];
    for (int c = 0; c < 2; c++) {
        for (int t = 0; t < blocks; t++) {
            for (int i = 0; i < inputs; i++)
                LOCAL(single_to_blocks)(plan, slots + i * size, c, t, X + i * block);
            for (int o = 0; o < outputs; o++)
                for (int i = 0; i < inputs; i++) {
                    const REAL *A = tables + (i * outputs + o) * 3 * blocks * block;
                    const REAL *S = A + (blocks + c * blocks + t) * block;
                    LOCAL(single_left)(plan->units, A + t * block, X + i * block, Z);
                    LOCAL(single_right)(plan->units, S, Z, i > 0, Y + (o * blocks + t) * block);
                }
        }
        for (int o = 0; o < outputs; o++)
            LOCAL(single_from_blocks)(plan, Y + o * blocks * block, c, slots + o * size);
    }
    for (int o = 0; o < outputs; o++)
        for (size_t k = 0; k < size; k++) y[o * size + k] = slots[o * size + plan->single_slot[k]];
}

#undef LOCAL
#undef JOIN
#undef JOINED
#undef WIDTH
#undef PIECES
#undef AREA
#undef W
