/* Products of matrices over R, C and H with fewer real products than components.

   C: three, from the sums s = x0 + x1:     y0 = a0 x0 - a1 x1,  y1 = (a0 + a1) s - a0 x0 - a1 x1.
   H: eight, from the Walsh-Hadamard sums x^ = H4 x over the units (^ stands for a hat):
        y' = H4 (a^ o x^) / 4 - 2 (a0 x0, a3 x2, a1 x3, a2 x1),      y = (-y'0, y'1, y'2, y'3).
   Each real product is one of order x order matrices of vectors. */

#define PRODUCTS(units) ((units) == 4 ? 8 : (units) == 2 ? 3 : 1)
#define SUMS(units) ((units) == 4 ? 4 : (units) == 2 ? 1 : 0)

/* Units of the four extra quaternion products, in the first and in the second factor. */
static const int FIRST_UNIT[4] = {0, 3, 1, 2}, SECOND_UNIT[4] = {0, 2, 3, 1};

/* A matrix over K of a group of rows: vectors [q][row][column], rows `order + 1` vectors apart,
   since a power of two would put a column on a few sets of the cache. */
typedef struct {
    V *plain;  /* units blocks */
    V *sums;   /* SUMS(units) blocks */
} matrix;

#define ROW_LENGTH(order) ((order) + 1)
#define BLOCK_LENGTH(order) ((size_t)(order) * ROW_LENGTH(order))

/* The sums of all units at one place of X. */
ALWAYS void unit_sums(const int units, matrix X, size_t block, size_t at)
{
    const V a = X.plain[at], b = X.plain[block + at];
    if (units == 2) {
        X.sums[at] = a + b;
        return;
    }
    const V c = X.plain[2 * block + at], d = X.plain[3 * block + at];
    const V s = a + b, t = a - b, u = c + d, v = c - d;
    X.sums[at] = s + u;
    X.sums[block + at] = t + v;
    X.sums[2 * block + at] = s - u;
    X.sums[3 * block + at] = t - v;
}

/* The block of x that real product m takes. */
ALWAYS const V *operand(const int units, matrix x, int m, size_t block, const int *extra_unit)
{
    if (units == 4) return m < 4 ? x.sums + m * block : x.plain + extra_unit[m - 4] * block;
    if (units == 2) return m < 2 ? x.plain + m * block : x.sums;
    return x.plain;
}

/* Components y[q] from the real products p[m * step]; those of H with 1/4 and -2 taken in. */
ALWAYS void combine(const int units, const V *p, int step, V *y)
{
    if (units == 1) {
        y[0] = p[0];
    } else if (units == 2) {
        y[0] = p[0] - p[step];
        y[1] = p[2 * step] - (p[0] + p[step]);
    } else {
        const V s = p[0] + p[step], t = p[0] - p[step];
        const V u = p[2 * step] + p[3 * step], v = p[2 * step] - p[3 * step];
        y[0] = -(p[4 * step] + (s + u));
        y[1] = p[5 * step] + (t + v);
        y[2] = p[6 * step] + (s - u);
        y[3] = p[7 * step] + (t - v);
    }
}

/* out[r, s] = sum_k coefficients[k, r] x[k, s] on an R x C tile. */
ALWAYS void product_tile(const int R, const int C, int order, const REAL *coefficients, const V *x,
                         int step, int across, V *out)
{
    V sum[4][4];
    UNROLL for (int r = 0; r < R; r++) UNROLL for (int s = 0; s < C; s++) sum[r][s] = (V){0};
    for (int k = 0; k < order; k++) {
        V row[4];
        UNROLL for (int s = 0; s < C; s++) row[s] = x[k * step + s * across];
        UNROLL for (int r = 0; r < R; r++) {
            const V a = splat(coefficients[k * order + r]);
            UNROLL for (int s = 0; s < C; s++) sum[r][s] += a * row[s];
        }
    }
    UNROLL for (int r = 0; r < R; r++)
        UNROLL for (int s = 0; s < C; s++) out[r * C + s] = sum[r][s];
}

/* y = A x (is_left) or y = x S, or y += ; y.sums is filled too unless it is NULL.
   table[m][k][r]: the real factors of A^T or S for product m. */
ALWAYS void multiply_tiled(const int units, const int R, const int C, const int is_left, int order,
                           const REAL *table, matrix x, matrix y, int adds)
{
    const int length = ROW_LENGTH(order);
    const int step = is_left ? length : 1, across = is_left ? 1 : length;
    const size_t block = BLOCK_LENGTH(order);
    const int products = PRODUCTS(units);
    for (int s0 = 0; s0 < order; s0 += C)
        for (int r0 = 0; r0 < order; r0 += R) {
            V tile[8 * 16];
            UNROLL for (int m = 0; m < products; m++)
                product_tile(R, C, order, table + m * order * order + r0,
                             operand(units, x, m, block, is_left ? SECOND_UNIT : FIRST_UNIT)
                                 + s0 * across,
                             step, across, tile + m * R * C);
            for (int r = 0; r < R; r++)
                for (int s = 0; s < C; s++) {
                    const size_t at = is_left ? (r0 + r) * length + s0 + s
                                              : (s0 + s) * length + r0 + r;
                    V result[4];
                    combine(units, tile + r * C + s, R * C, result);
                    UNROLL for (int q = 0; q < units; q++) {
                        if (adds) result[q] += y.plain[q * block + at];
                        y.plain[q * block + at] = result[q];
                    }
                    if (units > 1 && y.sums) unit_sums(units, y, block, at);
                }
        }
}

ALWAYS void multiply(const int is_left, const rotor_plan *plan, const REAL *table, matrix x,
                     matrix y, int adds)
{
    const int order = plan->order;
    switch (plan->units * 100 + order) {
    case 108:
    case 116: multiply_tiled(1, 4, TILE_COLUMNS, is_left, order, table, x, y, adds); break;
    case 201: multiply_tiled(2, 1, 1, is_left, order, table, x, y, adds); break;
    case 204:
    case 216: multiply_tiled(2, 4, TILE_COLUMNS, is_left, order, table, x, y, adds); break;
    case 401: multiply_tiled(4, 1, 1, is_left, order, table, x, y, adds); break;
    case 402: multiply_tiled(4, 2, 2, is_left, order, table, x, y, adds); break;
    default: multiply_tiled(4, 4, TILE_COLUMNS, is_left, order, table, x, y, adds);
    }
}

static void multiply_left(const rotor_plan *plan, const REAL *table, matrix x, matrix y)
{
    multiply(1, plan, table, x, y, 0);
}

static void multiply_right(const rotor_plan *plan, const REAL *table, matrix x, matrix y, int adds)
{
    multiply(0, plan, table, x, y, adds);
}

/* out[r, s] = sum over the lanes and over k of a[r, k] b[s, k], on an R x C tile. */
ALWAYS void outer_tile(const int R, const int C, int order, const V *a, const V *b, int step,
                       int across, REAL *out)
{
    V sum[16];
    UNROLL for (int e = 0; e < R * C; e++) sum[e] = (V){0};
    for (int k = 0; k < order; k++) {
        V row[4];
        UNROLL for (int s = 0; s < C; s++) row[s] = b[k * step + s * across];
        UNROLL for (int r = 0; r < R; r++)
            UNROLL for (int s = 0; s < C; s++) sum[r * C + s] += a[k * step + r * across] * row[s];
    }
    lane_sums(R * C, sum, out);
}

/* moment[q][r][s] += sum over the rows of the batch and over k of a[r, k] b[s, k], where [r, k]
   means row r and column k (by_rows) or column r and row k. */
ALWAYS void outer_tiled(const int units, const int R, const int C, int order, matrix a, matrix b,
                        int by_rows, REAL *moment)
{
    const int length = ROW_LENGTH(order);
    const int step = by_rows ? 1 : length, across = by_rows ? length : 1;
    const size_t block = BLOCK_LENGTH(order);
    const int products = PRODUCTS(units), pieces = 16 / LANES;
    for (int r0 = 0; r0 < order; r0 += R)
        for (int s0 = 0; s0 < order; s0 += C) {
            REAL real[8 * 16] = {0}, sums[4 * 16];
            UNROLL for (int m = 0; m < products; m++)
                outer_tile(R, C, order, operand(units, a, m, block, FIRST_UNIT) + r0 * across,
                           operand(units, b, m, block, SECOND_UNIT) + s0 * across, step, across,
                           real + m * 16);
            for (int piece = 0; piece < pieces; piece++) {
                V p[8], y[4];
                UNROLL for (int m = 0; m < products; m++)
                    p[m] = load(real + m * 16 + piece * LANES)
                           * (REAL)(units < 4 ? 1 : m < 4 ? 0.25 : -2);
                combine(units, p, 1, y);
                UNROLL for (int q = 0; q < units; q++) store(sums + q * 16 + piece * LANES, y[q]);
            }
            for (int q = 0; q < units; q++)
                for (int r = 0; r < R; r++)
                    for (int s = 0; s < C; s++)
                        moment[(q * order + r0 + r) * order + s0 + s] += sums[q * 16 + r * C + s];
        }
}

static void outer(const rotor_plan *plan, matrix a, matrix b, int by_rows, REAL *moment)
{
    const int order = plan->order;
    switch (plan->units * 100 + order) {
    case 108:
    case 116: outer_tiled(1, 4, TILE_COLUMNS, order, a, b, by_rows, moment); break;
    case 201: outer_tiled(2, 1, 1, order, a, b, by_rows, moment); break;
    case 204:
    case 216: outer_tiled(2, 4, TILE_COLUMNS, order, a, b, by_rows, moment); break;
    case 401: outer_tiled(4, 1, 1, order, a, b, by_rows, moment); break;
    case 402: outer_tiled(4, 2, 2, order, a, b, by_rows, moment); break;
    default: outer_tiled(4, 4, TILE_COLUMNS, order, a, b, by_rows, moment);
    }
}
