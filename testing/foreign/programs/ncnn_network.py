"""ncnn's Vulkan compute: a small convolutional network, against ncnn's own processor path."""

import os
import struct
import tempfile

import numpy as np
import ncnn

PARAM = """7767517
6 6
Input data 0 1 data
Convolution c1 1 1 data c1 0=16 1=3 4=1 5=1 6=432 9=1
Pooling p1 1 1 c1 p1 0=0 1=2 2=2
Convolution c2 1 1 p1 c2 0=32 1=3 4=1 5=1 6=4608 9=1
InnerProduct f1 1 1 c2 f1 0=10 1=1 2=81920
Softmax out 1 1 f1 out 0=0
"""
rng = np.random.default_rng(4)
weights = b""
for outputs, inputs in ((16, 27), (32, 144), (10, 8192)):
    weights += struct.pack("<I", 0)
    weights += (rng.standard_normal(outputs * inputs) / np.sqrt(inputs)).astype("<f4").tobytes()
    weights += rng.standard_normal(outputs).astype("<f4").tobytes()

assert ncnn.get_gpu_count() > 0, "ncnn sees no Vulkan device"
data = rng.random((3, 32, 32), dtype=np.float32)


def run(vulkan, half):
    with tempfile.TemporaryDirectory() as folder:
        param, model = os.path.join(folder, "n.param"), os.path.join(folder, "n.bin")
        open(param, "w").write(PARAM)
        open(model, "wb").write(weights)
        net = ncnn.Net()
        net.opt.use_vulkan_compute = vulkan
        net.opt.use_fp16_packed = net.opt.use_fp16_storage = net.opt.use_fp16_arithmetic = half
        assert net.load_param(param) == 0 and net.load_model(model) == 0
        extractor = net.create_extractor()
        extractor.input("data", ncnn.Mat(data))
        code, out = extractor.extract("out")
        assert code == 0
        return np.array(out)


expected = run(False, False)
assert abs(expected.sum() - 1) < 1e-4
for half, tolerance in ((False, 1e-3), (True, 2e-2)):
    got = run(True, half)
    assert np.allclose(got, expected, atol=tolerance), f"half {half}: {got} instead of {expected}"
print("ncnn", ncnn.__version__)
os._exit(0)  # ncnn's own teardown order at interpreter exit is not what is tested here
