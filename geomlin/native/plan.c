/* The index maps and generators of one dimension. */
#include <stdlib.h>
#include <string.h>

#include "rotor.h"

/* units, order, blocks of Cl0(n), n = 0 .. 12. */
static const int SHAPES[ROTOR_LARGEST + 1][3] = {
    {1, 1, 1}, {1, 1, 1}, {2, 1, 1},  {4, 1, 1},  {4, 1, 2},  {4, 2, 1},  {2, 4, 1},
    {1, 8, 1}, {1, 8, 2}, {1, 16, 1}, {2, 16, 1}, {4, 16, 1}, {4, 16, 2},
};

int rotor_is_odd(int word)
{
    int odd = 0;
    for (; word; word &= word - 1) odd ^= 1;
    return odd;
}

/* Fills the tables of slot (c, w, q, u, v), whose coefficient is `from`, with sign +-1. */
static void set_slot(rotor_plan *plan, int slot, int32_t from, int sign)
{
    const int K = plan->units, N = plan->order, T = plan->blocks, size = plan->size;
    const int v = slot % N, u = slot / N % N, q = slot / (N * N) % K;
    const int w = slot / (N * N * K) % T, c = slot / (N * N * K * T);
    const int group = (((c * K + q) * N + u) * T + w) * N + v;
    const int single = (((c * T + w) * K + q) * N + v) * N + u;
    const int values[3] = {sign, q ? -sign : sign, rotor_is_odd(u & v) ? -sign : sign};
    const int places[3] = {group, size + group, 2 * size + single};
    plan->group_slot[from] = group;
    plan->single_slot[from] = single;
    plan->single_from[single] = from;
    for (int i = 0; i < 3; i++) {
        plan->signs_float[places[i]] = (float)values[i];
        plan->signs_double[places[i]] = values[i];
    }
}

/* unit_p unit_q = (-1)^UNIT_ODD[p][q] unit_(p^q). */
static const int UNIT_ODD[4][4] = {{0, 0, 0, 0}, {0, 1, 0, 1}, {0, 1, 1, 0}, {0, 0, 1, 1}};

/* The words of e_i e_j = -(e_i e_n)(e_j e_n), and of e_i e_n; 0 if a word is out of range. */
static int set_words(rotor_plan *plan, const int64_t *words)
{
    const int n = plan->n, limits[4] = {2, plan->order, plan->order, plan->units};
    for (int k = 0; k < 4 * n; k++) {
        if (words[k] < 0 || words[k] >= limits[k % 4]) return 0;
        plan->words[k / 4][k % 4] = (int32_t)words[k];
    }
    for (int i = 0, pair = 0; i < n; i++)
        for (int j = i + 1; j < n; j++, pair++) {
            const int32_t *a = plan->words[i], *b = plan->words[j];
            int32_t *out = plan->pair_words[pair];
            memcpy(out, a, sizeof plan->words[i]);
            if (j == n - 1) continue;
            out[0] = 1 ^ a[0] ^ b[0] ^ rotor_is_odd(a[2] & b[1]) ^ UNIT_ODD[a[3]][b[3]];
            for (int part = 1; part < 4; part++) out[part] = a[part] ^ b[part];
        }
    return 1;
}

/* Where row (q, i) of the product of generator g with a matrix comes from. */
static void set_rows(rotor_plan *plan)
{
    const int n = plan->n, order = plan->order;
    for (int row = 0; row < plan->units * order; row++)
        for (int g = 0; g < n; g++) {
            const int32_t identity[4] = {0}, *w = g == n - 1 ? identity : plan->words[g];
            const int q = row / order ^ w[3], i = row % order ^ w[1];
            plan->row_from[row * n + g] = q * order + i;
            plan->row_sign[row * n + g] =
                w[0] ^ rotor_is_odd(w[2] & i) ^ UNIT_ODD[w[3]][q] ? -1 : 1;
        }
}

static int allocate(rotor_plan *plan)
{
    const size_t size = (size_t)plan->size, rows = (size_t)plan->units * plan->order * plan->n;
    plan->group_slot = malloc(size * sizeof *plan->group_slot);
    plan->single_slot = malloc(size * sizeof *plan->single_slot);
    plan->single_from = malloc(size * sizeof *plan->single_from);
    plan->signs_float = malloc(3 * size * sizeof *plan->signs_float);
    plan->signs_double = malloc(3 * size * sizeof *plan->signs_double);
    plan->row_from = malloc(rows * sizeof *plan->row_from);
    plan->row_sign = malloc(rows * sizeof *plan->row_sign);
    return plan->group_slot && plan->single_slot && plan->single_from && plan->signs_float
           && plan->signs_double && plan->row_from && plan->row_sign;
}

/* 0 unless `from` is a permutation and every sign is 1 or -1. */
static int set_slots(rotor_plan *plan, const int64_t *from, const int8_t *sign)
{
    memset(plan->group_slot, -1, plan->size * sizeof *plan->group_slot);
    for (int slot = 0; slot < plan->size; slot++) {
        if (from[slot] < 0 || from[slot] >= plan->size || plan->group_slot[from[slot]] != -1
            || (sign[slot] != 1 && sign[slot] != -1))
            return 0;
        set_slot(plan, slot, (int32_t)from[slot], sign[slot]);
    }
    return 1;
}

rotor_plan *rotor_plan_new(int n, const int64_t *from, const int8_t *sign, const int64_t *words)
{
    if (n < ROTOR_SMALLEST || n > ROTOR_LARGEST) return NULL;
    rotor_plan *plan = calloc(1, sizeof *plan);
    if (!plan) return NULL;
    plan->n = n;
    plan->units = SHAPES[n][0], plan->order = SHAPES[n][1], plan->blocks = SHAPES[n][2];
    plan->size = 1 << n;
    if (!allocate(plan) || !set_slots(plan, from, sign) || !set_words(plan, words)) {
        rotor_plan_free(plan);
        return NULL;
    }
    set_rows(plan);
    return plan;
}

void rotor_plan_free(rotor_plan *plan)
{
    if (!plan) return;
    free(plan->group_slot);
    free(plan->single_slot);
    free(plan->single_from);
    free(plan->signs_float);
    free(plan->signs_double);
    free(plan->row_from);
    free(plan->row_sign);
    free(plan);
}
