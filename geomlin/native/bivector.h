/* The product of an even element w_n + sum_g w_g E_g with blocks, E_g = e_g e_n: a sum of n signed
   permutations of the rows, so that a simple rotor costs far less than a product of matrices.

   out = a x + b (w_n + sum w_g E_g) x for block t; x and out are [q][row][column]. */
static void apply_vector(const rotor_plan *plan, int t, const double *weights, const double *x,
                         double a, double b, const double *base, double *out)
{
    const int n = plan->n, order = plan->order, rows = plan->units * order;
    for (int row = 0; row < rows; row++) {
        const int32_t *from = plan->row_from + row * n;
        double factor[ROTOR_LARGEST];
        for (int g = 0; g < n; g++) factor[g] = b * weights[g] * plan->row_sign[row * n + g];
        for (int g = 0; t && g < n - 1; g++) factor[g] = -factor[g];
        if (order < LANES) {
            for (int j = 0; j < order; j++) {
                double sum = a * base[row * order + j];
                for (int g = 0; g < n; g++) sum += factor[g] * x[from[g] * order + j];
                out[row * order + j] = sum;
            }
            continue;
        }
        for (int j = 0; j < order; j += LANES) {
            V sum = a * load(base + row * order + j);
            for (int g = 0; g < n; g++) sum += factor[g] * load(x + from[g] * order + j);
            store(out + row * order + j, sum);
        }
    }
}
