"""Numba kernels, made into SPIR-V by LLVM's own backend, against NumPy: integers, doubles, shared memory, atomics, ufuncs."""

import math
import os

os.environ["NUMBA_VULKAN_WARNINGS"] = "0"  # doubles are wanted here

import numba_vulkan as nv
import numpy as np
from numba import guvectorize, vectorize

random = np.random.default_rng(3)


@nv.jit
def scaled_sum(a, x, y):
    i = nv.global_id(0)
    if i < x.shape[0]:
        y[i] = a * x[i] + y[i]


for kind in (np.float32, np.float64, np.int16, np.int32, np.int64, np.uint8, np.uint64):
    x, y = ((random.random(3001) * 50).astype(kind) for _ in range(2))
    expected = (kind(2) * x + y).astype(kind)
    scaled_sum.forall(x.size)(kind(2), x, y)
    assert np.allclose(y, expected), f"a * x + y of {kind.__name__}"


@nv.jit
def group_sums(x, out):
    partial = nv.shared.array(256, np.float32)
    here, i = nv.local_id(0), nv.global_id(0)
    partial[here] = x[i] if i < x.shape[0] else np.float32(0)
    nv.barrier()
    step = 128
    while step > 0:
        if here < step:
            partial[here] += partial[here + step]
        nv.barrier()
        step //= 2
    if here == 0:
        nv.atomic.add(out, 0, partial[0])


x, total = random.random(50_000).astype(np.float32), np.zeros(1, np.float32)
group_sums[(x.size + 255) // 256, 256](x, total)
assert np.allclose(total, x.sum(dtype=np.float64), rtol=1e-4), f"sum: {total}"


@nv.jit
def product(a, b, c):
    i, j = nv.global_id(0), nv.global_id(1)
    if i < c.shape[0] and j < c.shape[1]:
        s = 0.0
        for k in range(a.shape[1]):
            s += a[i, k] * b[k, j]
        c[i, j] = s


a, b, c = random.random((65, 40)), random.random((40, 77)), np.zeros((65, 77))
product.forall(c.shape)(a, b, c)
assert np.allclose(c, a @ b), "matrix product in doubles"


@nv.jit
def count(values, counts):
    i = nv.global_id(0)
    if i < values.size:
        nv.atomic.add(counts, values[i] % 64, 1)


values, counts = random.integers(0, 10**6, 30_000).astype(np.int32), np.zeros(64, np.int32)
count.forall(values.size)(values, counts)
assert (counts == np.bincount(values % 64, minlength=64)).all(), "histogram"


@nv.jit
def sort_rows(rows):
    i = nv.global_id(0)
    if i < rows.shape[0]:
        for k in range(1, rows.shape[1]):
            value, j = rows[i, k], k - 1
            while j >= 0 and rows[i, j] > value:
                rows[i, j + 1] = rows[i, j]
                j -= 1
            rows[i, j + 1] = value


rows = random.random((500, 20)).astype(np.float32)
expected = np.sort(rows, axis=1)
sort_rows.forall(500)(rows)
assert (rows == expected).all(), "insertion sort"

# Functions of OpenCL's library, compiled into the kernels.
for name in ("sin", "tan", "atan", "cosh", "tanh", "exp", "expm1", "log", "log1p", "sqrt", "erf", "lgamma"):
    scope = {"math": math}
    exec(f"def body(x): return math.{name}(x)", scope)
    for kind, allowed in (("float32", 2e-5), ("float64", 1e-12)):
        x = random.uniform(0.05, 6, 600).astype(kind)
        found = vectorize([f"{kind}({kind})"], target="vulkan")(scope["body"])(x)
        wanted = vectorize([f"{kind}({kind})"], nopython=True)(scope["body"])(x)
        error = np.max(np.abs(found - wanted) / np.maximum(np.abs(wanted), 0.01))
        assert error < allowed, f"{name} of {kind}: {error}"


@guvectorize(["void(float32[:], float32[:], float32[:])"], "(n),(n)->()", target="vulkan")
def inner(a, b, out):
    out[0] = np.dot(a, b)


matrix, vector = random.random((50, 33)).astype(np.float32), random.random(33).astype(np.float32)
assert np.allclose(inner(matrix, vector), matrix @ vector, rtol=1e-4), "generalised ufunc"
print("numba", nv.list_devices()[0])
