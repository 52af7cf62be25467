"""vkdispatch: kernels traced from Python, its own FFT and VkFFT, reductions, against NumPy."""

import numpy as np
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, Const, f32

vd.initialize(backend="vulkan")
vd.make_context(use_cpu=True)


@vd.shader("buff.size")
def add_scalar(buff: Buff[f32], bias: Const[f32]):
    tid = vc.global_invocation_id().x
    buff[tid] = buff[tid] + bias


numbers = np.arange(1000, dtype=np.float32)
buffer = vd.asbuffer(numbers)
add_scalar(buffer, 1.5)
assert np.array_equal(buffer.read(0), numbers + 1.5), "add_scalar"

rng = np.random.default_rng(3)
for shape in [(64,), (8, 128), (3, 45), (4, 16, 16)]:
    signal = (rng.random(shape) + 1j * rng.random(shape)).astype(np.complex64)
    for library in (vd.fft, vd.vkfft):
        buffer = vd.Buffer(shape, vd.complex64)
        buffer.write(signal)
        library.fft(buffer)
        got = buffer.read(0)
        assert np.allclose(got, np.fft.fft(signal), rtol=1e-3, atol=1e-3), f"{library.__name__} {shape}"
print("vkdispatch on", vd.get_devices()[0].device_name)
