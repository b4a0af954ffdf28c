/* The action on a group of at most LANES rows, one vector lane for each row. */

#define PAIR_TABLE(plan) \
    ((size_t)3 * (plan)->blocks * PRODUCTS((plan)->units) * (plan)->order * (plan)->order)

/* Real factors of one K-matrix M for `multiply`: entry [m][k][r] from component q of M at
   k * k_step + r * r_step.  Takes conj(M) if `conjugate`. */
static void pack_products(const rotor_plan *plan, const REAL *M, int k_step, int r_step,
                          int conjugate, const int *extra_unit, REAL scale, REAL *table)
{
    const int order = plan->order, units = plan->units, area = order * order;
    const REAL sign = conjugate ? -scale : scale;
    for (int k = 0; k < order; k++)
        for (int r = 0; r < order; r++) {
            const REAL *entry = M + k * k_step + r * r_step;
            REAL *out = table + k * order + r, a[4] = {entry[0] * scale};
            for (int q = 1; q < units; q++) a[q] = entry[q * area] * sign;
            if (units == 4) {
                const REAL s = a[0] + a[1], t = a[0] - a[1], u = a[2] + a[3], v = a[2] - a[3];
                const REAL quarter = (REAL)0.25;
                out[0] = quarter * (s + u);
                out[area] = quarter * (t + v);
                out[2 * area] = quarter * (s - u);
                out[3 * area] = quarter * (t - v);
                for (int m = 0; m < 4; m++) out[(4 + m) * area] = -2 * a[extra_unit[m]];
            } else {
                out[0] = a[0];
                if (units == 2) out[area] = a[1], out[2 * area] = a[0] + a[1];
            }
        }
}

/* Tables of all pairs for X -> scale A X S / (blocks order). */
static void pack_groups(const rotor_plan *plan, int pairs, const REAL *A, const REAL *S,
                        const double *scale, REAL *tables)
{
    const int order = plan->order, blocks = plan->blocks;
    const size_t matrix_size = (size_t)plan->units * order * order;
    const size_t table = (size_t)PRODUCTS(plan->units) * order * order;
    for (int pair = 0; pair < pairs; pair++) {
        const REAL factor = (REAL)((scale ? scale[pair] : 1.0) / (blocks * order));
        for (int t = 0; t < blocks; t++, A += matrix_size, tables += table)
            pack_products(plan, A, 1, order, 0, FIRST_UNIT, factor, tables);
        for (int ct = 0; ct < 2 * blocks; ct++, S += matrix_size, tables += table)
            pack_products(plan, S, order, 1, 0, SECOND_UNIT, 1, tables);
    }
}

/* The same for G -> A^H G S^H / (blocks order). */
static void pack_adjoint(const rotor_plan *plan, int pairs, const void *A_, const void *S_,
                         void *tables_)
{
    const int order = plan->order, blocks = plan->blocks;
    const size_t matrix_size = (size_t)plan->units * order * order;
    const size_t table = (size_t)PRODUCTS(plan->units) * order * order;
    const REAL *A = A_, *S = S_, factor = (REAL)1 / (blocks * order);
    REAL *tables = tables_;
    for (int pair = 0; pair < pairs; pair++) {
        for (int t = 0; t < blocks; t++, A += matrix_size, tables += table)
            pack_products(plan, A, order, 1, 1, FIRST_UNIT, factor, tables);
        for (int ct = 0; ct < 2 * blocks; ct++, S += matrix_size, tables += table)
            pack_products(plan, S, 1, order, 1, SECOND_UNIT, 1, tables);
    }
}

/* The next `count` vectors of the working memory; with a null `next` they are only counted. */
static V *take(V **next, size_t count)
{
    V *start = *next;
    *next += count;
    return start;
}

static matrix take_matrix(const rotor_plan *plan, V **next)
{
    const size_t block = BLOCK_LENGTH(plan->order);
    matrix result;
    result.plain = take(next, plan->units * block);
    result.sums = take(next, SUMS(plan->units) * block);
    return result;
}

/* Matrix number i of an array of them that starts at `first`. */
static matrix matrix_at(const rotor_plan *plan, V *first, int i)
{
    const size_t block = BLOCK_LENGTH(plan->order);
    matrix result;
    result.plain = first + (size_t)i * (plan->units + SUMS(plan->units)) * block;
    result.sums = result.plain + plan->units * block;
    return result;
}

static size_t matrix_vectors(const rotor_plan *plan)
{
    return (plan->units + SUMS(plan->units)) * BLOCK_LENGTH(plan->order);
}

/* Vectors of one even part of all blocks. */
static size_t part_vectors(const rotor_plan *plan)
{
    return (size_t)plan->blocks * plan->units * BLOCK_LENGTH(plan->order);
}

static size_t forward_memory(const rotor_plan *plan, const rotor_batch *batch)
{
    const int most = batch->inputs > batch->outputs ? batch->inputs : batch->outputs;
    return VECTOR_BYTES
           * ((size_t)most * plan->size + (batch->inputs + 1) * matrix_vectors(plan)
              + batch->outputs * part_vectors(plan));
}

/* Slots of output chunk o replace those of input chunk o: a parity is read before it is written. */
static void forward_group(const rotor_plan *plan, const rotor_batch *batch, const void *tables,
                          const void *x, void *y, int rows, void *memory)
{
    const int inputs = batch->inputs, outputs = batch->outputs, blocks = plan->blocks;
    const size_t table = PAIR_TABLE(plan) / (3 * blocks), part = part_vectors(plan);
    const size_t size = plan->size, block = plan->units * BLOCK_LENGTH(plan->order);
    V *next = memory;
    V *slots = take(&next, (size_t)(inputs > outputs ? inputs : outputs) * size);
    V *X = take(&next, inputs * matrix_vectors(plan)), *Y = take(&next, outputs * part);
    const matrix Z = take_matrix(plan, &next);
    for (int i = 0; i < inputs; i++)
        load_rows(plan, (const REAL *)x + i * size, batch->x_distance, rows, slots + i * size);
    for (int c = 0; c < 2; c++) {
        for (int t = 0; t < blocks; t++) {
            for (int i = 0; i < inputs; i++)
                to_blocks(plan, slots + i * size, c, t, 0, matrix_at(plan, X, i));
            for (int o = 0; o < outputs; o++)
                for (int i = 0; i < inputs; i++) {
                    const REAL *A = (const REAL *)tables + (i * outputs + o) * PAIR_TABLE(plan);
                    const REAL *S = A + (blocks + c * blocks) * table;
                    const matrix to = {Y + o * part + t * block, NULL};
                    multiply_left(plan, A + t * table, matrix_at(plan, X, i), Z);
                    multiply_right(plan, S + t * table, Z, to, i > 0);
                }
        }
        for (int o = 0; o < outputs; o++) from_blocks(plan, Y + o * part, c, slots + o * size);
    }
    for (int o = 0; o < outputs; o++)
        store_rows(plan, slots + o * size, (REAL *)y + o * size, batch->y_distance, rows);
}

static size_t backward_memory(const rotor_plan *plan, const rotor_batch *batch)
{
    return VECTOR_BYTES
           * ((size_t)(batch->inputs + batch->outputs) * plan->size
              + (batch->inputs + batch->outputs + 2) * matrix_vectors(plan)
              + batch->inputs * part_vectors(plan));
}

/* sum += scale * x over a block. */
static void add_scaled(size_t count, const V *x, REAL scale, int adds, V *sum)
{
    for (size_t k = 0; k < count; k++) sum[k] = adds ? sum[k] + x[k] * scale : x[k] * scale;
}

typedef struct {
    V *grad_slots, *slots, *G, *X, *sum;  /* sum: dX over the outputs, with scale */
    matrix P, D;
} backward_work;

static backward_work take_backward(const rotor_plan *plan, const rotor_batch *batch, void *memory)
{
    V *next = memory;
    backward_work work;
    work.grad_slots = take(&next, (size_t)batch->outputs * plan->size);
    work.slots = take(&next, (size_t)batch->inputs * plan->size);
    work.G = take(&next, batch->outputs * matrix_vectors(plan));
    work.X = take(&next, batch->inputs * matrix_vectors(plan));
    work.sum = take(&next, batch->inputs * part_vectors(plan));
    work.P = take_matrix(plan, &next);
    work.D = take_matrix(plan, &next);
    return work;
}

/* dX and the moments of one pair, for one parity and block; X holds the conjugate of x. */
static void backward_pair(const rotor_plan *plan, const REAL *tables, int c, int t, matrix G,
                          matrix X, const backward_work *work, REAL *moment_r, REAL *moment_s)
{
    const int blocks = plan->blocks;
    const size_t table = PAIR_TABLE(plan) / (3 * blocks);
    const size_t area = (size_t)plan->units * plan->order * plan->order;
    multiply_right(plan, tables + (blocks + c * blocks + t) * table, G, work->P, 0);
    multiply_left(plan, tables + t * table, work->P, work->D);
    outer(plan, work->D, X, 1, moment_r + t * area);
    outer(plan, X, work->D, 0, moment_s + (c * blocks + t) * area);
}

static void backward_group(const rotor_plan *plan, const rotor_batch *batch, const void *tables,
                           const double *scale, const void *grad_y, const void *x, void *grad_x,
                           int rows, void *moment_r, void *moment_s, void *memory)
{
    const int inputs = batch->inputs, outputs = batch->outputs, blocks = plan->blocks;
    const size_t size = plan->size, part = part_vectors(plan), block = part / blocks;
    const size_t area = (size_t)plan->units * plan->order * plan->order;
    const backward_work work = take_backward(plan, batch, memory);
    for (int o = 0; o < outputs; o++)
        load_rows(plan, (const REAL *)grad_y + o * size, batch->y_distance, rows,
                  work.grad_slots + o * size);
    for (int i = 0; i < inputs; i++)
        load_rows(plan, (const REAL *)x + i * size, batch->x_distance, rows, work.slots + i * size);
    for (int c = 0; c < 2; c++) {
        for (int t = 0; t < blocks; t++) {
            for (int o = 0; o < outputs; o++)
                to_blocks(plan, work.grad_slots + o * size, c, t, 0, matrix_at(plan, work.G, o));
            for (int i = 0; i < inputs; i++)
                to_blocks(plan, work.slots + i * size, c, t, 1, matrix_at(plan, work.X, i));
            for (int pair = 0; pair < inputs * outputs; pair++) {
                const int i = pair / outputs, o = pair % outputs;
                backward_pair(plan, (const REAL *)tables + pair * PAIR_TABLE(plan), c, t,
                              matrix_at(plan, work.G, o), matrix_at(plan, work.X, i), &work,
                              (REAL *)moment_r + pair * blocks * area,
                              (REAL *)moment_s + 2 * pair * blocks * area);
                add_scaled(block, work.D.plain, (REAL)(scale ? scale[pair] : 1.0), o > 0,
                           work.sum + i * part + t * block);
            }
        }
        for (int i = 0; i < inputs; i++)
            from_blocks(plan, work.sum + i * part, c, work.slots + i * size);
    }
    for (int i = 0; i < inputs; i++)
        store_rows(plan, work.slots + i * size, (REAL *)grad_x + i * size, (ptrdiff_t)inputs * size,
                   rows);
}
