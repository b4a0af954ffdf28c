/* Bivectors -> factors of the action, and moments -> gradients of bivectors, in double precision.

   With i b = U diag(values) U^H and z = sqrt 2 times the eigenvector of theta > 0, x = Re z and
   y = Im z are orthonormal and b = sum theta y x over the n/2 planes, so that

       exp(b) = prod (cos theta + sin theta y x),    y x = (y e_n)(e_n x),
       y e_n = y_n + sum y_g E_g,   e_n x = x_n - sum x_g E_g,   g < n. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rotor.h"

/* Blocks of exp(b), [t][q][row][column]; `work` has room for two of its blocks. */
static void rotor_of(const rotor_plan *plan, const rotor_kernels *kernels, const double *values,
                     const double *vectors, double *result, double *work)
{
    const int n = plan->n, order = plan->order;
    const size_t block = (size_t)plan->units * order * order;
    memset(result, 0, plan->blocks * block * sizeof *result);
    for (int t = 0; t < plan->blocks; t++) {
        double *M = result + t * block;
        for (int i = 0; i < order; i++) M[i * order + i] = 1;
        for (int m = n - n / 2; m < n; m++) {
            double first[ROTOR_LARGEST], second[ROTOR_LARGEST];
            for (int g = 0; g < n; g++) {
                const double root = sqrt(2.0), *entry = vectors + 2 * (g * n + m);
                first[g] = (g == n - 1 ? root : -root) * entry[0];
                second[g] = root * entry[1];
            }
            kernels->apply_vector(plan, t, first, M, 0, 1, M, work);
            kernels->apply_vector(plan, t, second, work, cos(values[m]), sin(values[m]), M,
                                  work + block);
            memcpy(M, work + block, block * sizeof *M);
        }
    }
}

/* Entry of the right factor of the odd half, from that of the even half: see spinor_even.py. */
static double odd_entry(const rotor_plan *plan, const double *S, int t, int q, int i, int j)
{
    const int order = plan->order, remainder = plan->n % 4;
    const int32_t *hat = plan->words[plan->n - 1];
    double sign = 1;
    if (remainder == 0) t = 1 - t;
    if (remainder == 2) {
        i ^= hat[1], j ^= hat[1];
        sign = rotor_is_odd(hat[2] & (i ^ j)) != (q > 0) ? -1 : 1;
    }
    return sign * S[((t * plan->units + q) * order + i) * order + j];
}

int rotor_factors(const rotor_plan *plan, const rotor_kernels *kernels, int sides, int pairs,
                  const double *values, const double *vectors, double *A, double *S)
{
    const int n = plan->n, order = plan->order, units = plan->units, blocks = plan->blocks;
    const size_t block = (size_t)units * order * order, even = blocks * block;
    double *s = malloc((even + 2 * block) * sizeof *s);
    if (!s) return -1;
    for (int pair = 0; pair < pairs; pair++, A += even, S += 2 * even) {
        const int last = (sides - 1) * pairs + pair;
        rotor_of(plan, kernels, values + pair * n, vectors + 2 * pair * n * n, A, s + even);
        if (sides == 1)
            memcpy(s, A, even * sizeof *s);
        else
            rotor_of(plan, kernels, values + last * n, vectors + 2 * last * n * n, s, s + even);
        for (int tq = 0; tq < blocks * units; tq++)
            for (int i = 0; i < order; i++)
                for (int j = 0; j < order; j++)
                    S[(tq * order + i) * order + j] =
                        (tq % units ? -1 : 1) * s[(tq * order + j) * order + i];
        for (int tq = 0; tq < blocks * units; tq++)
            for (int i = 0; i < order; i++)
                for (int j = 0; j < order; j++)
                    S[even + (tq * order + i) * order + j] =
                        odd_entry(plan, S, tq / units, tq % units, i, j);
    }
    free(s);
    return 0;
}

/* sum_t <M_t, rho_t(e_i e_j)>, i < j, added to h with a factor. */
static void project(const rotor_plan *plan, const void *moment, int is_double, double factor,
                    double odd_factor, double *h)
{
    const int n = plan->n, order = plan->order;
    for (int i = 0, pair = 0; i < n; i++)
        for (int j = i + 1; j < n; j++, pair++) {
            const int32_t *w = plan->pair_words[pair];
            double sum = 0;
            for (int t = 0; t < plan->blocks; t++)
                for (int k = 0; k < order; k++) {
                    const size_t block = (size_t)t * plan->units + w[3];
                    const size_t at = (block * order + (k ^ w[1])) * order + k;
                    const double entry = is_double ? ((const double *)moment)[at]
                                                   : (double)((const float *)moment)[at];
                    const int negative = rotor_is_odd(w[2] & k) ^ w[0] ^ (t && j == n - 1);
                    sum += negative ? -entry : entry;
                }
            h[pair] += (j == n - 1 ? odd_factor : factor) * sum;
        }
}

typedef struct {
    double re[ROTOR_LARGEST][ROTOR_LARGEST], im[ROTOR_LARGEST][ROTOR_LARGEST];
} square;

/* a b, or a^H b. */
static void multiply_square(int n, const square *a, int adjoint, const square *b, square *out)
{
    memset(out, 0, sizeof *out);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            const double re = adjoint ? a->re[k][i] : a->re[i][k];
            const double im = adjoint ? -a->im[k][i] : a->im[i][k];
            for (int j = 0; j < n; j++) {
                out->re[i][j] += re * b->re[k][j] - im * b->im[k][j];
                out->im[i][j] += re * b->im[k][j] + im * b->re[k][j];
            }
        }
}

/* grad = phi(ad_b) h, phi(z) = (e^z - 1)/z: in the eigenvectors entry (j, k) times
   sinc(d) e^(i d), d = values[k] - values[j]. */
static void phi_of_ad(int n, const double *values, const double *vectors, const double *h,
                      double *grad)
{
    square U, H, T, inner;
    memset(&H, 0, sizeof H);
    for (int i = 0, pair = 0; i < n; i++)
        for (int j = i + 1; j < n; j++, pair++) H.re[i][j] = h[pair], H.re[j][i] = -h[pair];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            U.re[i][j] = vectors[2 * (i * n + j)], U.im[i][j] = vectors[2 * (i * n + j) + 1];
    multiply_square(n, &H, 0, &U, &T);
    multiply_square(n, &U, 1, &T, &inner);
    for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++) {
            const double d = values[k] - values[j], sinc = d == 0 ? 1 : sin(d) / d;
            const double c = sinc * cos(d), s = sinc * sin(d);
            const double re = inner.re[j][k], im = inner.im[j][k];
            inner.re[j][k] = c * re - s * im;
            inner.im[j][k] = c * im + s * re;
        }
    multiply_square(n, &U, 0, &inner, &T);
    for (int i = 0, pair = 0; i < n; i++)
        for (int j = i + 1; j < n; j++, pair++) {
            grad[pair] = 0;
            for (int k = 0; k < n; k++)  /* Re (T U^H)_ij */
                grad[pair] += T.re[i][k] * U.re[j][k] + T.im[i][k] * U.im[j][k];
        }
}

void rotor_pull_back(const rotor_plan *plan, int is_double, int sides, int pairs,
                     const double *values, const double *vectors, const void *moment_r,
                     const void *moment_s, double *grad)
{
    const int n = plan->n, count = n * (n - 1) / 2;
    const size_t even = (size_t)plan->size / 2 * (is_double ? sizeof(double) : sizeof(float));
    for (int pair = 0; pair < pairs; pair++) {
        double h[2][ROTOR_LARGEST * (ROTOR_LARGEST - 1) / 2] = {{0}};
        const char *r = (const char *)moment_r + pair * even;
        const char *s = (const char *)moment_s + 2 * pair * even;
        double *right = sides == 2 ? h[1] : h[0];
        project(plan, r, is_double, 1, 1, h[0]);
        project(plan, s, is_double, -1, -1, right);
        project(plan, s + even, is_double, -1, n % 2 ? -1 : 1, right);
        for (int side = 0; side < sides; side++) {
            const int at = side * pairs + pair;
            phi_of_ad(n, values + at * n, vectors + 2 * (size_t)at * n * n, h[side],
                      grad + (size_t)at * count);
        }
    }
}
