/* The Python module: arrays come as addresses, and the caller vouches for their sizes.

   A kernel is named by (level, is_double); a batch by (inputs, outputs, rows, x_distance,
   y_distance, threads).  geomlin/nn/native_action.py is the only caller. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdlib.h>

#include "rotor.h"

#define PLAN_NAME "geomlin.native.plan"

/* args[first + k] -> values[k] for `count` integers; -1 with an exception if one is none. */
static int integers(PyObject *const *args, int count, long long *values)
{
    for (int k = 0; k < count; k++) {
        values[k] = PyLong_AsLongLong(args[k]);
        if (values[k] == -1 && PyErr_Occurred()) return -1;
    }
    return 0;
}

static int addresses(PyObject *const *args, int count, void **values)
{
    for (int k = 0; k < count; k++) {
        values[k] = PyLong_AsVoidPtr(args[k]);
        if (values[k] == NULL && PyErr_Occurred()) return -1;
    }
    return 0;
}

static int expect(Py_ssize_t given, Py_ssize_t wanted)
{
    if (given == wanted) return 0;
    PyErr_Format(PyExc_TypeError, "expected %zd arguments, got %zd", wanted, given);
    return -1;
}

static const rotor_kernels *kernels_of(long long level, long long is_double)
{
    const rotor_kernels *found = NULL;
    if (level >= 0 && level < ROTOR_LEVELS) found = rotor_kernels_of((int)level, is_double != 0);
    if (!found)
        PyErr_Format(PyExc_ValueError, "this processor has no kernels of level %lld", level);
    return found;
}

static int batch_of(const long long *v, rotor_batch *batch)
{
    if (v[0] < 1 || v[1] < 1 || v[0] > 4096 || v[1] > 4096 || v[2] < 0 || v[5] < 1 || v[5] > 4096) {
        PyErr_SetString(PyExc_ValueError, "expected 1 to 4096 chunks and threads, and rows >= 0");
        return -1;
    }
    *batch = (rotor_batch){(int)v[0], (int)v[1], v[2], (ptrdiff_t)v[3], (ptrdiff_t)v[4], (int)v[5]};
    return 0;
}

static void free_plan(PyObject *capsule)
{
    rotor_plan_free(PyCapsule_GetPointer(capsule, PLAN_NAME));
}

static PyObject *plan(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    long long n;
    Py_buffer views[3];
    int held = 0;
    (void)self;
    if (expect(count, 4) || integers(args, 1, &n)) return NULL;
    while (held < 3 && !PyObject_GetBuffer(args[1 + held], &views[held], PyBUF_C_CONTIGUOUS))
        held++;
    rotor_plan *made = NULL;
    if (held == 3 && n >= ROTOR_SMALLEST && n <= ROTOR_LARGEST
        && views[0].len == (Py_ssize_t)8 << n && views[1].len == (Py_ssize_t)1 << n
        && views[2].len == 32 * n)
        made = rotor_plan_new((int)n, views[0].buf, views[1].buf, views[2].buf);
    const int given = held == 3;
    while (held) PyBuffer_Release(&views[--held]);
    if (!given) return NULL;
    if (!made) {
        PyErr_SetString(PyExc_ValueError, "expected n = 2..12, a permutation of 2^n int64, 2^n "
                                          "int8 signs and n int64 words");
        return NULL;
    }
    PyObject *capsule = PyCapsule_New(made, PLAN_NAME, free_plan);
    if (!capsule) rotor_plan_free(made);
    return capsule;
}

static PyObject *table_size(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    long long pairs;
    (void)self;
    if (expect(count, 2) || integers(args + 1, 1, &pairs)) return NULL;
    const rotor_plan *p = PyCapsule_GetPointer(args[0], PLAN_NAME);
    return p ? PyLong_FromSize_t(rotor_table_size(p, (int)pairs)) : NULL;
}

static PyObject *pack(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    long long v[3];
    void *a[4];
    (void)self;
    if (expect(count, 8) || integers(args + 1, 3, v) || addresses(args + 4, 4, a)) return NULL;
    const rotor_plan *p = PyCapsule_GetPointer(args[0], PLAN_NAME);
    const rotor_kernels *k = p ? kernels_of(v[0], v[1]) : NULL;
    if (!k) return NULL;
    k->pack(p, (int)v[2], a[0], a[1], a[2], a[3]);
    Py_RETURN_NONE;
}

static PyObject *forward(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    long long v[8];
    void *a[3];
    rotor_batch batch;
    int failed;
    (void)self;
    if (expect(count, 12) || integers(args + 1, 8, v) || addresses(args + 9, 3, a)) return NULL;
    const rotor_plan *p = PyCapsule_GetPointer(args[0], PLAN_NAME);
    const rotor_kernels *k = p ? kernels_of(v[0], v[1]) : NULL;
    if (!k || batch_of(v + 2, &batch)) return NULL;
    Py_BEGIN_ALLOW_THREADS
    failed = rotor_forward(p, k, &batch, a[0], a[1], a[2]);
    Py_END_ALLOW_THREADS
    if (failed) return PyErr_NoMemory();
    Py_RETURN_NONE;
}

static PyObject *backward(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    long long v[8];
    void *a[8];
    rotor_batch batch;
    int failed = -1;
    (void)self;
    if (expect(count, 17) || integers(args + 1, 8, v) || addresses(args + 9, 8, a)) return NULL;
    const rotor_plan *p = PyCapsule_GetPointer(args[0], PLAN_NAME);
    const rotor_kernels *k = p ? kernels_of(v[0], v[1]) : NULL;
    if (!k || batch_of(v + 2, &batch)) return NULL;
    const int pairs = batch.inputs * batch.outputs;
    Py_BEGIN_ALLOW_THREADS
    void *tables = malloc(rotor_adjoint_size(p, pairs) * k->real_size);
    if (tables) {
        k->pack_adjoint(p, pairs, a[0], a[1], tables);
        failed = rotor_backward(p, k, &batch, tables, a[2], a[3], a[4], a[5], a[6], a[7]);
        free(tables);
    }
    Py_END_ALLOW_THREADS
    if (failed) return PyErr_NoMemory();
    Py_RETURN_NONE;
}

static PyObject *factors(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    long long v[3];
    void *a[4];
    (void)self;
    if (expect(count, 8) || integers(args + 1, 3, v) || addresses(args + 4, 4, a)) return NULL;
    const rotor_plan *p = PyCapsule_GetPointer(args[0], PLAN_NAME);
    const rotor_kernels *k = p ? kernels_of(v[0], 1) : NULL;
    if (!k) return NULL;
    if (rotor_factors(p, k, (int)v[1], (int)v[2], a[0], a[1], a[2], a[3])) return PyErr_NoMemory();
    Py_RETURN_NONE;
}

static PyObject *pull_back(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    long long v[3];
    void *a[5];
    (void)self;
    if (expect(count, 9) || integers(args + 1, 3, v) || addresses(args + 4, 5, a)) return NULL;
    const rotor_plan *p = PyCapsule_GetPointer(args[0], PLAN_NAME);
    if (!p) return NULL;
    rotor_pull_back(p, v[0] != 0, (int)v[1], (int)v[2], a[0], a[1], a[2], a[3], a[4]);
    Py_RETURN_NONE;
}

static PyObject *levels(PyObject *self, PyObject *ignored)
{
    PyObject *names = PyList_New(0);
    (void)self, (void)ignored;
    for (int level = 0; names && level < ROTOR_LEVELS; level++) {
        const rotor_kernels *kernels = rotor_kernels_of(level, 0);
        PyObject *name = kernels ? PyUnicode_FromString(kernels->name) : NULL;
        if (kernels && (!name || PyList_Append(names, name))) Py_CLEAR(names);
        Py_XDECREF(name);
    }
    return names;
}

static PyObject *has_threads(PyObject *self, PyObject *ignored)
{
    (void)self, (void)ignored;
    return PyBool_FromLong(rotor_has_threads());
}

#define FAST(name, text) {#name, (PyCFunction)(void (*)(void))name, METH_FASTCALL, text}

static PyMethodDef methods[] = {
    FAST(plan, "plan(n, from, sign, words): tables of one dimension, see rotor_plan_new."),
    FAST(table_size, "table_size(plan, pairs): numbers in the tables of a forward call."),
    FAST(pack, "pack(plan, level, is_double, pairs, A, S, scale, tables): fills the tables."),
    FAST(forward, "forward(plan, level, is_double, *batch, tables, x, y)"),
    FAST(backward, "backward(plan, level, is_double, *batch, A, S, scale, grad_y, x, grad_x, "
                   "moment_r, moment_s)"),
    FAST(factors, "factors(plan, level, sides, pairs, values, vectors, A, S), all in float64."),
    FAST(pull_back, "pull_back(plan, is_double, sides, pairs, values, vectors, moment_r, moment_s, "
                    "grad)"),
    {"levels", levels, METH_NOARGS, "Names of the kernels this processor can run."},
    {"has_threads", has_threads, METH_NOARGS, "Whether it was built with OpenMP."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_rotor", "The two-sided rotor action in C.", 0, methods, slots,
    NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__rotor(void) { return PyModuleDef_Init(&module); }
