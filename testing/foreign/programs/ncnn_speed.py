"""ncnn's Vulkan compute beside ncnn's own code for processors, in one process, interleaved.

Three networks with random weights, of separable convolutions (as mobilenet), of 3 x 3 convolutions (as resnet) and of
1 x 1 convolutions that are joined with 3 x 3 ones (as squeezenet), on a picture of 224 x 224: the least of many runs in
milliseconds of processor time, one thread each (processors beside, such as those of other programs, do not count), and
how many times as fast Vulkan is. The results of both are compared.

    ncnn_speed.py [NETWORK...]
"""

import os
import sys
import pathlib
import struct
import tempfile
import time

import numpy as np

os.environ.setdefault("PYROCLAST_THREADS", "1")
import ncnn  # noqa: E402

SECONDS, SIZE, CLASSES = 2.0, 224, 1000


class Network:
    """Layers as ncnn's text, and their weights."""

    def __init__(self):
        self.random = np.random.default_rng(1)
        self.lines = [f"Input data 0 1 data 0={SIZE} 1={SIZE} 2=3"]
        self.weights = b""
        self.last = "data"

    def numbers(self, count, scale):
        return (self.random.standard_normal(count) * scale).astype("<f4").tobytes()

    def layer(self, kind, parameters):
        name = f"layer{len(self.lines)}"
        self.lines.append(f"{kind} {name} 1 1 {self.last} {name} {parameters}")
        self.last = name

    def fork(self):
        """Two names for the last layer's result: layers of one reader each are what ncnn's files have."""
        name = f"layer{len(self.lines)}"
        names = f"{name}a", f"{name}b"
        self.lines.append(f"Split {name} 1 2 {self.last} {' '.join(names)}")
        return names

    def join(self, kind, first, second, parameters):
        name = f"layer{len(self.lines)}"
        self.lines.append(f"{kind} {name} 2 1 {first} {second} {name} {parameters}")
        self.last = name

    def fire(self, inputs, narrow, wide):
        """A 1 x 1 convolution to few channels, and to many by one of 1 x 1 and one of 3 x 3 side by side."""
        self.convolution(narrow, inputs, 1, 1)
        first, second = self.fork()
        self.last = first
        self.convolution(wide, narrow, 1, 1)
        one, self.last = self.last, second
        self.convolution(wide, narrow, 3, 1)
        self.join("Concat", one, self.last, "0=0")

    def convolution(self, outputs, inputs, kernel, stride):
        count = outputs * inputs * kernel * kernel
        shape = f"0={outputs} 1={kernel} 3={stride} 4={kernel // 2} 5=1 6={count} 9=1"
        self.layer("Convolution", shape)
        scale = 1 / np.sqrt(inputs * kernel * kernel)
        self.weights += struct.pack("<I", 0) + self.numbers(count, scale) + self.numbers(outputs, 0.1)

    def depthwise(self, channels, stride):
        count = channels * 9
        self.layer("ConvolutionDepthWise", f"0={channels} 1=3 3={stride} 4=1 5=1 6={count} 7={channels} 9=1")
        self.weights += struct.pack("<I", 0) + self.numbers(count, 1 / 3) + self.numbers(channels, 0.1)

    def classes(self, channels):
        self.layer("Pooling", "0=1 4=1")
        self.layer("InnerProduct", f"0={CLASSES} 1=1 2={channels * CLASSES}")
        self.weights += struct.pack("<I", 0) + self.numbers(channels * CLASSES, 0.05) + self.numbers(CLASSES, 0.1)
        self.layer("Softmax", "0=0")


def separable():
    net, channels = Network(), 32
    net.convolution(channels, 3, 3, 2)
    for outputs, stride in (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1), (512, 1), (1024, 2):
        net.depthwise(channels, stride)
        net.convolution(outputs, channels, 1, 1)
        channels = outputs
    net.classes(channels)
    return net


def plain():
    net, channels = Network(), 64
    net.convolution(channels, 3, 7, 2)
    net.layer("Pooling", "0=0 1=3 2=2")
    for outputs, stride in (64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1):
        net.convolution(outputs, channels, 3, stride)
        channels = outputs
    net.classes(channels)
    return net


def joined():
    net = Network()
    net.convolution(64, 3, 3, 2)
    channels = 64
    for narrow, wide, count in (16, 64, 2), (32, 128, 2), (48, 192, 2), (64, 256, 2):
        if narrow != 48:
            net.layer("Pooling", "0=0 1=3 2=2")
        for _ in range(count):
            net.fire(channels, narrow, wide)
            channels = 2 * wide
    net.classes(channels)
    return net


class Runner:
    """A network on a processor or by Vulkan, in a precision."""

    def __init__(self, network, vulkan, precision, picture):
        self.net = ncnn.Net()
        option = self.net.opt
        option.use_vulkan_compute = vulkan
        option.num_threads = 1
        option.use_fp16_packed = option.use_fp16_storage = option.use_fp16_arithmetic = precision == "half"
        option.use_bf16_packed = option.use_bf16_storage = precision == "bfloat16"
        with tempfile.TemporaryDirectory() as folder:
            param, model = pathlib.Path(folder, "n.param"), pathlib.Path(folder, "n.bin")
            lines = network.lines
            blobs = sum(int(line.split()[3]) for line in lines)
            param.write_text(f"7767517\n{len(lines)} {blobs}\n" + "\n".join(lines) + "\n")
            model.write_bytes(network.weights)
            assert self.net.load_param(str(param)) == 0 and self.net.load_model(str(model)) == 0
        self.picture, self.last = picture, network.last
        self.least = float("inf")
        self.run()
        self.least = float("inf")

    def run(self):
        start = time.process_time()
        extractor = self.net.create_extractor()
        extractor.input("data", ncnn.Mat(self.picture))
        code, out = extractor.extract(self.last)
        assert code == 0
        self.result = np.array(out)
        self.least = min(self.least, time.process_time() - start)


def main():
    assert ncnn.get_gpu_count() > 0, "ncnn sees no Vulkan device"
    picture = np.random.default_rng(2).random((3, SIZE, SIZE), dtype=np.float32)
    print("network    precision   ncnn ms  Vulkan ms  times")
    networks = {"separable": separable, "plain": plain, "joined": joined}
    for name in sys.argv[1:] or networks:
        network = networks[name]()
        for precision in "single", "half", "bfloat16":
            own, vulkan = (Runner(network, where, precision, picture) for where in (False, True))
            end = time.perf_counter() + SECONDS
            while time.perf_counter() < end:
                own.run()
                vulkan.run()
            error = np.abs(own.result - vulkan.result).max() / own.result.max()
            assert error < (1e-3 if precision == "single" else 0.1), f"{name}, {precision}: {error:.1e}"
            times = own.least / vulkan.least
            print(f"{name:10} {precision:9} {own.least * 1e3:9.2f} {vulkan.least * 1e3:10.2f} {times:6.2f}", flush=True)


main()
os._exit(0)  # ncnn's own objects want no order at exit
