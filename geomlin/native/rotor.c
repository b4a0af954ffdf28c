/* The choice of kernels, and the loop over the batch. */
#include "rotor.h"

#include <stdlib.h>
#include <string.h>

#include "levels.h"
#ifdef _OPENMP
#include <omp.h>
#endif

const rotor_kernels *rotor_kernels_of(int level, int is_double)
{
#ifdef ROTOR_X86
    __builtin_cpu_init();
    if (level == 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")
        && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")
        && __builtin_cpu_supports("fma"))
        return is_double ? &rotor_double_avx512 : &rotor_float_avx512;
    if (level == 1 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return is_double ? &rotor_double_avx2 : &rotor_float_avx2;
#endif
    if (level == 0) return is_double ? &rotor_double_baseline : &rotor_float_baseline;
    return NULL;
}

int rotor_has_threads(void)
{
#ifdef _OPENMP
    return 1;
#else
    return 0;
#endif
}

/* Real products of one product over K: see multiply.h. */
static size_t products(const rotor_plan *plan)
{
    return plan->units == 4 ? 8 : plan->units == 2 ? 3 : 1;
}

size_t rotor_adjoint_size(const rotor_plan *plan, int pairs)
{
    const size_t area = (size_t)plan->order * plan->order;
    return 3 * (size_t)pairs * plan->blocks * area * products(plan);
}

size_t rotor_table_size(const rotor_plan *plan, int pairs)
{
    const size_t area = (size_t)plan->order * plan->order;
    const size_t single = plan->order >= 8 ? plan->units : 0;
    return 3 * (size_t)pairs * plan->blocks * area * (products(plan) + single);
}

static void *aligned_memory(size_t bytes)
{
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

/* Threads that are worth waking, about ten microseconds of work for each; `items` can be shared. */
enum { NUMBERS_PER_THREAD = 8192 };

static int useful_threads(const rotor_plan *plan, const rotor_batch *batch, int64_t items)
{
    const int64_t chunks = batch->inputs > batch->outputs ? batch->inputs : batch->outputs;
    int64_t threads = batch->rows * chunks * plan->size / NUMBERS_PER_THREAD;
    if (threads > items) threads = items;
    if (threads > batch->threads) threads = batch->threads;
    return threads < 1 || !rotor_has_threads() ? 1 : (int)threads;
}

/* How the rows are split: whole groups, and rows that are cheaper one by one. */
typedef struct {
    int64_t groups, singles;
} schedule;

static schedule split_rows(const rotor_plan *plan, const rotor_kernels *kernels,
                           const rotor_batch *batch, int threads)
{
    const int64_t lanes = kernels->lanes, rows = batch->rows, tail = rows % lanes;
    schedule result = {rows / lanes, tail};
    /* Small blocks have no kernel for single rows; a group costs as much as 0.6 to 1.2 of its rows
       one by one, measured with each instruction set. */
    if (plan->order < 8 || 16 * tail > 11 * lanes) {
        result.groups += tail > 0;
        result.singles = 0;
    }
    if (plan->order >= 8 && result.groups < threads && rows < lanes * threads) {
        result.groups = 0;
        result.singles = rows;
    }
    return result;
}

/* Bytes that one thread needs: single rows take far less than groups. */
static size_t working_memory(const rotor_plan *plan, const rotor_kernels *kernels,
                             const rotor_batch *batch, schedule work)
{
    if (work.groups) return kernels->forward_memory(plan, batch);
    const size_t inputs = (size_t)batch->inputs, outputs = (size_t)batch->outputs;
    const size_t block = (size_t)plan->units * plan->order * plan->order;
    return kernels->real_size * ((inputs > outputs ? inputs : outputs) * plan->size
                                 + (inputs + outputs * plan->blocks + 1) * block);
}

/* The share of one thread: every thread calls this, with its number. */
static int forward_share(const rotor_plan *plan, const rotor_kernels *kernels,
                         const rotor_batch *batch, const void *tables, const char *x, char *y,
                         schedule work, int thread, int threads)
{
    const ptrdiff_t lanes = kernels->lanes, size = (ptrdiff_t)kernels->real_size;
    const ptrdiff_t x_row = batch->x_distance * size, y_row = batch->y_distance * size;
    const int64_t first = work.groups * thread / threads;
    const int64_t last = work.groups * (thread + 1) / threads;
    void *memory = aligned_memory(working_memory(plan, kernels, batch, work));
    if (!memory) return -1;
    for (int64_t g = first; g < last; g++) {
        const int64_t left = batch->rows - g * lanes;
        kernels->forward_group(plan, batch, tables, x + g * lanes * x_row, y + g * lanes * y_row,
                               (int)(left < lanes ? left : lanes), memory);
    }
    const int64_t done = batch->rows - work.singles;
    for (int64_t r = done + work.singles * thread / threads;
         r < done + work.singles * (thread + 1) / threads; r++)
        kernels->forward_single(plan, batch, tables, x + r * x_row, y + r * y_row, memory);
    free(memory);
    return 0;
}

int rotor_forward(const rotor_plan *plan, const rotor_kernels *kernels, const rotor_batch *batch,
                  const void *tables, const void *x, void *y)
{
    if (batch->rows == 0) return 0;
    const schedule work =
        split_rows(plan, kernels, batch, useful_threads(plan, batch, batch->rows));
    const int threads = useful_threads(plan, batch, work.groups + work.singles);
    if (threads == 1) return forward_share(plan, kernels, batch, tables, x, y, work, 0, 1);
    int failed = 0;
#ifdef _OPENMP
#pragma omp parallel num_threads(threads) reduction(| : failed)
    failed |= forward_share(plan, kernels, batch, tables, x, y, work, omp_get_thread_num(),
                            omp_get_num_threads());
#endif
    return failed;
}

/* The share of one thread, into moments of its own. */
static int backward_share(const rotor_plan *plan, const rotor_kernels *kernels,
                          const rotor_batch *batch, const void *tables, const double *scale,
                          const char *grad_y, const char *x, char *grad_x, char *moment_r,
                          char *moment_s, int thread, int threads)
{
    const ptrdiff_t lanes = kernels->lanes, size = (ptrdiff_t)kernels->real_size;
    const ptrdiff_t x_row = batch->x_distance * size, y_row = batch->y_distance * size;
    const ptrdiff_t out_row = (ptrdiff_t)batch->inputs * plan->size * size;
    const int64_t groups = (batch->rows + lanes - 1) / lanes;
    void *memory = aligned_memory(kernels->backward_memory(plan, batch));
    if (!memory) return -1;
    for (int64_t g = groups * thread / threads; g < groups * (thread + 1) / threads; g++) {
        const int64_t left = batch->rows - g * lanes;
        kernels->backward_group(plan, batch, tables, scale, grad_y + g * lanes * y_row,
                                x + g * lanes * x_row, grad_x + g * lanes * out_row,
                                (int)(left < lanes ? left : lanes), moment_r, moment_s, memory);
    }
    free(memory);
    return 0;
}

/* sums[k] += parts[1][k] + parts[2][k] + ..., in this order: equal calls give equal bits. */
static void add_parts(size_t count, int parts, int is_double, const void *more, void *sums)
{
    for (int part = 0; part < parts; part++)
        for (size_t k = 0; k < count; k++) {
            if (is_double)
                ((double *)sums)[k] += ((const double *)more)[part * count + k];
            else
                ((float *)sums)[k] += ((const float *)more)[part * count + k];
        }
}

int rotor_backward(const rotor_plan *plan, const rotor_kernels *kernels, const rotor_batch *batch,
                   const void *tables, const double *scale, const void *grad_y, const void *x,
                   void *grad_x, void *moment_r, void *moment_s)
{
    const size_t area = (size_t)plan->units * plan->order * plan->order, size = kernels->real_size;
    const size_t r_count = (size_t)batch->inputs * batch->outputs * plan->blocks * area;
    const size_t s_count = 2 * r_count, count = r_count + s_count;
    memset(moment_r, 0, r_count * size);
    memset(moment_s, 0, s_count * size);
    const int64_t groups = (batch->rows + kernels->lanes - 1) / kernels->lanes;
    const int threads = useful_threads(plan, batch, groups);
    if (batch->rows == 0) return 0;
    if (threads == 1)
        return backward_share(plan, kernels, batch, tables, scale, grad_y, x, grad_x, moment_r,
                              moment_s, 0, 1);
    int failed = 0;
#ifdef _OPENMP
    char *more = calloc((size_t)(threads - 1) * count, size);
    if (!more) return -1;
    char *more_s = more + (threads - 1) * r_count * size;
#pragma omp parallel num_threads(threads) reduction(| : failed)
    {
        const int thread = omp_get_thread_num();
        failed |= backward_share(
            plan, kernels, batch, tables, scale, grad_y, x, grad_x,
            thread ? more + (thread - 1) * r_count * size : (char *)moment_r,
            thread ? more_s + (thread - 1) * s_count * size : (char *)moment_s, thread,
            omp_get_num_threads());
    }
    add_parts(r_count, threads - 1, size == sizeof(double), more, moment_r);
    add_parts(s_count, threads - 1, size == sizeof(double), more_s, moment_s);
    free(more);
#else
    (void)count;
#endif
    return failed;
}
