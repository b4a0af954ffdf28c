/* Vectors of REAL in the widest registers of the instruction set, one lane for each batch row. */

#define ALWAYS static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 32")
#define LANES ((int)(VECTOR_BYTES / sizeof(REAL)))

typedef REAL V __attribute__((vector_size(VECTOR_BYTES)));
typedef REAL unaligned_V
    __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(REAL)), may_alias));
typedef LANE_INDEX lane_indices __attribute__((vector_size(VECTOR_BYTES)));

ALWAYS V load(const REAL *p) { return (V) * (const unaligned_V *)p; }
ALWAYS void store(REAL *p, V v) { *(unaligned_V *)p = (unaligned_V)v; }
/* A difference, since -0 + 0 is not -0 and the compiler would have to add. */
ALWAYS V splat(REAL a) { return a - (V){0}; }

ALWAYS V select_lanes(V a, V b, lane_indices from)
{
#if defined(__clang__)
    V result;
    UNROLL for (int lane = 0; lane < LANES; lane++)
        result[lane] = from[lane] < LANES ? a[from[lane]] : b[from[lane] - LANES];
    return result;
#else
    return __builtin_shuffle(a, b, from);
#endif
}

/* Stage h of the transposition of a LANES x LANES matrix: lanes with bit h of a and of b swap. */
ALWAYS void exchange(int h, V *a, V *b)
{
    lane_indices low, high;
    UNROLL for (int lane = 0; lane < LANES; lane++) {
        low[lane] = lane & h ? LANES + (lane ^ h) : lane;
        high[lane] = lane & h ? LANES + lane : lane ^ h;
    }
    const V first = select_lanes(*a, *b, low), second = select_lanes(*a, *b, high);
    *a = first;
    *b = second;
}

ALWAYS void transpose(V *rows)
{
    UNROLL for (int h = 1; h < LANES; h *= 2)
        UNROLL for (int i = 0; i < LANES; i++)
            if (!(i & h)) exchange(h, rows + i, rows + i + h);
}

/* sums[e] = the sum of the lanes of v[e], e < count <= 16; v is overwritten. */
ALWAYS void lane_sums(const int count, V *v, REAL *sums)
{
    if (count % LANES != 0) {
        for (int e = 0; e < count; e++) {
            sums[e] = v[e][0];
            for (int lane = 1; lane < LANES; lane++) sums[e] += v[e][lane];
        }
        return;
    }
    UNROLL for (int e = 0; e < count; e += LANES) {
        UNROLL for (int h = 1; h < LANES; h *= 2)
            UNROLL for (int i = 0; i < LANES; i += 2 * h) {
                exchange(h, v + e + i, v + e + i + h);
                v[e + i] += v[e + i + h];
            }
        store(sums + e, v[e]);
    }
}

/* Walsh-Hadamard transform over the vectors of an array. */
ALWAYS void hadamard(const int count, V *v)
{
    UNROLL for (int h = 1; h < count; h *= 2)
        UNROLL for (int i = 0; i < count; i++)
            if (!(i & h)) {
                const V a = v[i], b = v[i + h];
                v[i] = a + b;
                v[i + h] = a - b;
            }
}
