/* The two-sided rotor action y = r x ~s on batches of coefficients, in spinor form.

   A multivector x of Cl(n) is split by parity c into two even ones, and each of those is a block
   matrix over K = R, C or H (K-dimension `units`): X[c][t], t < blocks, of `order` rows.  Then

       Y[c][t] = A[t] X[c][t] S[c][t],      2 * blocks * units * order^2 = 2^n.

   Memory layouts, all row-major, with q the unit (1, i, j, k):
       A        [in][out][t][q][row][column]
       S        [in][out][c][t][q][row][column]
       x, y     [batch][chunk][2^n], any distance between the batch rows
   Nothing here allocates but a plan and the working memory of a call, and nothing is global. */
#ifndef GEOMLIN_ROTOR_H
#define GEOMLIN_ROTOR_H

#include <stddef.h>
#include <stdint.h>

enum { ROTOR_SMALLEST = 2, ROTOR_LARGEST = 12 };

/* Where each coefficient goes.  Slots are numbered (c, q, u, w, v) for groups of rows, and
   (c, w, q, v, u) for single rows; (u, v) is the word X^u Z^v of fast Pauli strings. */
typedef struct {
    int n, units, order, blocks, size;
    int32_t *group_slot;   /* coefficient -> slot */
    int32_t *single_slot;  /* coefficient -> slot */
    int32_t *single_from;  /* slot -> coefficient */
    float *signs_float;    /* three tables by slot: group, group with conjugated units, single */
    double *signs_double;
    /* Words (sign bit, flips, phases, unit) of the generators e_g e_n of Cl0(n), then of the string
       that leads to the odd half for n = 2 mod 4; and of all e_i e_j, i < j. */
    int32_t words[ROTOR_LARGEST][4];
    int32_t pair_words[ROTOR_LARGEST * (ROTOR_LARGEST - 1) / 2][4];
    /* [unit and row][g]: the row that becomes this one under generator g, and its sign; the last g
       is the identity. */
    int32_t *row_from;
    double *row_sign;
} rotor_plan;

/* Distances are counted in numbers, not bytes. */
typedef struct {
    int inputs, outputs;        /* chunks of x and of y */
    int64_t rows;               /* batch */
    ptrdiff_t x_distance, y_distance;
    int threads;
} rotor_batch;

/* What one instruction set does in one precision; all of it runs on one thread. */
typedef struct {
    const char *name;
    int lanes;         /* rows of a group */
    size_t real_size;  /* bytes of a number */
    void (*pack)(const rotor_plan *, int pairs, const void *A, const void *S, const double *scale,
                 void *tables);
    void (*pack_adjoint)(const rotor_plan *, int pairs, const void *A, const void *S,
                         void *tables);
    size_t (*forward_memory)(const rotor_plan *, const rotor_batch *);
    void (*forward_group)(const rotor_plan *, const rotor_batch *, const void *tables,
                          const void *x, void *y, int rows, void *memory);
    void (*forward_single)(const rotor_plan *, const rotor_batch *, const void *tables,
                           const void *x, void *y, void *memory);
    size_t (*backward_memory)(const rotor_plan *, const rotor_batch *);
    void (*backward_group)(const rotor_plan *, const rotor_batch *, const void *tables,
                           const double *scale, const void *grad_y, const void *x, void *grad_x,
                           int rows, void *moment_r, void *moment_s, void *memory);
    /* See bivector.h; NULL in single precision. */
    void (*apply_vector)(const rotor_plan *, int t, const double *weights, const double *x,
                         double a, double b, const double *base, double *out);
} rotor_kernels;

/* The kernels of a level, 0 = baseline upwards, or NULL if the processor or compiler lacks it. */
const rotor_kernels *rotor_kernels_of(int level, int is_double);
enum { ROTOR_LEVELS = 3 };

/* From the coefficient and sign +-1 of each slot (c, w, q, u, v), and n words of four numbers.
   NULL if n or a word is out of range, if memory is short or if `from` is not a permutation. */
rotor_plan *rotor_plan_new(int n, const int64_t *from, const int8_t *sign, const int64_t *words);
void rotor_plan_free(rotor_plan *plan);

/* Numbers in the tables of a forward and of a backward call. */
size_t rotor_table_size(const rotor_plan *plan, int pairs);
size_t rotor_adjoint_size(const rotor_plan *plan, int pairs);

/* Both return 0, or -1 if working memory is short. */
int rotor_forward(const rotor_plan *plan, const rotor_kernels *kernels, const rotor_batch *batch,
                  const void *tables, const void *x, void *y);

/* With dX = A^H G S^H, G the transformed grad_y / (blocks order):  moment_r = sum dX X^H over rows
   and parities, moment_s = sum X^H dX over rows, of the layouts of A and S; grad_x takes in scale,
   the moments do not.  scale may be NULL. */
int rotor_backward(const rotor_plan *plan, const rotor_kernels *kernels, const rotor_batch *batch,
                   const void *tables, const double *scale, const void *grad_y, const void *x,
                   void *grad_x, void *moment_r, void *moment_s);

/* The factors of pairs [side][pair] of bivectors b from i b = U diag(values) U^H; values [n]
   ascending, vectors U [row][column][re, im].  Side 0 is r, the last side is s.  0, or -1 if
   memory is short.  The kernels must be of double precision. */
int rotor_factors(const rotor_plan *plan, const rotor_kernels *kernels, int sides, int pairs,
                  const double *values, const double *vectors, double *A, double *S);

/* The gradient [side][pair][i < j] of the bivectors from the moments. */
void rotor_pull_back(const rotor_plan *plan, int is_double, int sides, int pairs,
                     const double *values, const double *vectors, const void *moment_r,
                     const void *moment_s, double *grad);

/* Whether the number of ones is odd. */
int rotor_is_odd(int word);

int rotor_has_threads(void);

#endif
