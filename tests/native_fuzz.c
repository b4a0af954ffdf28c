/* Runs the kernels on blocks of memory of exactly the documented sizes, for AddressSanitizer and
   UndefinedBehaviorSanitizer: every n, instruction set, precision, batch, distance between rows,
   number of chunks and of threads.  With A = S = 1 on the pairs i = j and 0 elsewhere the action is
   y_i = x_i whatever the index maps are, so the answers are checked too.

   test_native.py compiles it together with the files of geomlin/native but _rotor.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rotor.h"

static size_t shortage; /* numbers that x lacks, for the twin that the sanitizer must stop */
static uint64_t state = 88172645463325252u;

static uint64_t draw(uint64_t below)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state % below;
}

static void *exactly(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) abort();
    memset(memory, 0xff, bytes); /* NaN: what is not written shows */
    return memory;
}

static double get(const void *p, size_t i, int is_double)
{
    return is_double ? ((const double *)p)[i] : ((const float *)p)[i];
}

static void set(void *p, size_t i, int is_double, double value)
{
    if (is_double)
        ((double *)p)[i] = value;
    else
        ((float *)p)[i] = (float)value;
}

static rotor_plan *random_plan(int n)
{
    const int size = 1 << n;
    int64_t *from = exactly(size * sizeof *from);
    int8_t *sign = exactly(size);
    for (int k = 0; k < size; k++) from[k] = k, sign[k] = draw(2) ? 1 : -1;
    for (int k = size - 1; k > 0; k--) {
        const int other = (int)draw(k + 1);
        const int64_t kept = from[k];
        from[k] = from[other], from[other] = kept;
    }
    int64_t *words = exactly(4 * n * sizeof *words);
    memset(words, 0, 4 * n * sizeof *words);
    rotor_plan *plan = rotor_plan_new(n, from, sign, words);
    words[1] = 16; /* no such flips: refused */
    if (!plan || rotor_plan_new(n, from, sign, words)) abort();
    words[1] = 0;
    from[draw(size)] = size; /* not a permutation: refused */
    if (rotor_plan_new(n, from, sign, words)) abort();
    free(words);
    free(from);
    free(sign);
    return plan;
}

/* `count` matrices over K for each pair: 1 where the chunks are equal, else 0. */
static void *factors(const rotor_plan *plan, const rotor_batch *batch, int count, int is_double)
{
    const size_t area = (size_t)plan->order * plan->order, matrix = plan->units * area;
    const size_t pairs = (size_t)batch->inputs * batch->outputs;
    void *A = exactly(pairs * count * matrix * (is_double ? 8 : 4));
    for (size_t k = 0; k < pairs * count * matrix; k++) {
        const size_t pair = k / (count * matrix), place = k % matrix;
        const int same = pair / batch->outputs == pair % batch->outputs;
        const int one = place < area && place % (plan->order + 1) == 0;
        set(A, k, is_double, same && one);
    }
    return A;
}

static int differ(double a, double b, int is_double)
{
    return !(fabs(a - b) <= (is_double ? 1e-13 : 4e-6) * 8); /* |x| < 8 */
}

static int check_rows(const rotor_plan *plan, const rotor_batch *batch, const void *x,
                      ptrdiff_t x_row, int x_chunks, const void *y, ptrdiff_t y_row, int y_chunks,
                      int is_double)
{
    int wrong = 0;
    for (int64_t row = 0; row < batch->rows; row++)
        for (int c = 0; c < y_chunks; c++)
            for (int k = 0; k < plan->size; k++) {
                const size_t at = c * plan->size + k;
                const double want = c < x_chunks ? get(x, row * x_row + at, is_double) : 0;
                wrong += differ(get(y, row * y_row + at, is_double), want, is_double);
            }
    return wrong;
}

static int run(const rotor_plan *plan, const rotor_kernels *kernels, const rotor_batch *batch)
{
    const int is_double = kernels->real_size == 8, pairs = batch->inputs * batch->outputs;
    const size_t bytes = kernels->real_size, rows = (size_t)batch->rows;
    const size_t x_width = (size_t)batch->inputs * plan->size;
    const size_t y_width = (size_t)batch->outputs * plan->size;
    const size_t x_count = rows ? (rows - 1) * batch->x_distance + x_width : 0;
    const size_t y_count = rows ? (rows - 1) * batch->y_distance + y_width : 0;
    void *A = factors(plan, batch, plan->blocks, is_double);
    void *S = factors(plan, batch, 2 * plan->blocks, is_double);
    void *tables = exactly(rotor_table_size(plan, pairs) * bytes);
    void *adjoint = exactly(rotor_adjoint_size(plan, pairs) * bytes);
    void *x = exactly((x_count - (x_count ? shortage : 0)) * bytes), *y = exactly(y_count * bytes);
    void *grad_x = exactly(rows * x_width * bytes);
    const size_t moments = (size_t)pairs * plan->size / 2;
    void *moment_r = exactly(moments * bytes), *moment_s = exactly(2 * moments * bytes);
    for (size_t k = 0; k + shortage < x_count; k++) set(x, k, is_double, (double)draw(16) - 8);
    kernels->pack(plan, pairs, A, S, NULL, tables);
    kernels->pack_adjoint(plan, pairs, A, S, adjoint);
    int wrong = rotor_forward(plan, kernels, batch, tables, x, y);
    wrong += check_rows(plan, batch, x, batch->x_distance, batch->inputs, y, batch->y_distance,
                        batch->outputs, is_double);
    for (size_t k = 0; k < y_count; k++) set(y, k, is_double, (double)draw(16) - 8);
    wrong += rotor_backward(plan, kernels, batch, adjoint, NULL, y, x, grad_x, moment_r, moment_s);
    wrong += check_rows(plan, batch, y, batch->y_distance, batch->outputs, grad_x,
                        (ptrdiff_t)x_width, batch->inputs, is_double);
    for (size_t k = 0; k < moments; k++) wrong += isnan(get(moment_r, k, is_double));
    for (size_t k = 0; k < 2 * moments; k++) wrong += isnan(get(moment_s, k, is_double));
    free(A), free(S), free(tables), free(adjoint), free(x), free(y), free(grad_x);
    free(moment_r), free(moment_s);
    return wrong;
}

/* Unit eigenvectors of the planes e1 e2, e3 e4, ... with angles that differ: A is a rotor. */
static int run_factors(const rotor_plan *plan, const rotor_kernels *kernels, int sides, int pairs)
{
    const int n = plan->n, half = n / 2, count = sides * pairs;
    double *values = exactly((size_t)count * n * sizeof *values);
    double *vectors = exactly((size_t)2 * count * n * n * sizeof *vectors);
    double *A = exactly((size_t)pairs * plan->size / 2 * sizeof *A);
    double *S = exactly((size_t)pairs * plan->size * sizeof *S);
    double *grad = exactly((size_t)count * n * (n - 1) / 2 * sizeof *grad);
    memset(vectors, 0, (size_t)2 * count * n * n * sizeof *vectors);
    for (int at = 0; at < count; at++) {
        double *value = values + at * n, *vector = vectors + 2 * at * n * n;
        for (int m = 0; m < n; m++) value[m] = 0;
        for (int m = 0; m < half; m++) {
            value[n - half + m] = m + 0.5, value[half - 1 - m] = -m - 0.5;
            for (int side = 0; side < 2; side++) {
                const int column = side ? half - 1 - m : n - half + m;
                vector[2 * (2 * m * n + column)] = sqrt(0.5);
                vector[2 * ((2 * m + 1) * n + column) + 1] = side ? -sqrt(0.5) : sqrt(0.5);
            }
        }
        if (n % 2) vector[2 * ((n - 1) * n + half)] = 1;
    }
    int wrong = rotor_factors(plan, kernels, sides, pairs, values, vectors, A, S);
    rotor_pull_back(plan, 1, sides, pairs, values, vectors, A, S, grad);
    for (int k = 0; k < pairs * plan->size / 2; k++) wrong += !(fabs(A[k]) < 2);
    for (int k = 0; k < pairs * plan->size; k++) wrong += !(fabs(S[k]) < 2);
    for (int k = 0; k < count * n * (n - 1) / 2; k++) wrong += !isfinite(grad[k]);
    free(values), free(vectors), free(A), free(S), free(grad);
    return wrong;
}

int main(int argc, char **argv)
{
    (void)argv;
    shortage = argc > 1;
    static const int BATCHES[] = {0, 1, 2, 7, 15, 16, 17, 31, 33, 50, -1};
    int cases = 0, wrong = 0;
    if (rotor_plan_new(1, NULL, NULL, NULL) || rotor_plan_new(13, NULL, NULL, NULL)) abort();
    for (int n = ROTOR_SMALLEST; n <= ROTOR_LARGEST; n++) {
        rotor_plan *plan = random_plan(n);
        for (int level = 0; level < ROTOR_LEVELS; level++)
            for (int is_double = 0; is_double < 2; is_double++) {
                const rotor_kernels *kernels = rotor_kernels_of(level, is_double);
                if (!kernels) continue;
                for (int sides = 1; is_double && sides <= 2; sides++, cases++)
                    wrong += run_factors(plan, kernels, sides, 1 + (int)draw(3));
                for (size_t b = 0; b < sizeof BATCHES / sizeof *BATCHES; b++) {
                    const int most = n < 10 ? 3 : 2;
                    const int for_threads = 4 * 8192 / plan->size + 5; /* enough for three */
                    const int rows = BATCHES[b] < 0 ? for_threads : BATCHES[b];
                    rotor_batch batch = {1 + (int)draw(most), 1 + (int)draw(most), rows, 0, 0,
                                         BATCHES[b] < 0 ? 3 : 1 + (int)draw(3)};
                    batch.x_distance = batch.inputs * plan->size + (ptrdiff_t)draw(3) * 5;
                    batch.y_distance = batch.outputs * plan->size + (ptrdiff_t)draw(3) * 7;
                    const int found = run(plan, kernels, &batch);
                    if (found)
                        printf("n=%d %s %s batch %d %d->%d threads %d: %d wrong\n", n,
                               kernels->name, is_double ? "double" : "float", rows,
                               batch.inputs, batch.outputs, batch.threads, found);
                    wrong += found;
                    cases++;
                }
            }
        rotor_plan_free(plan);
    }
    printf("%d cases, %d wrong\n", cases, wrong);
    return wrong != 0;
}
