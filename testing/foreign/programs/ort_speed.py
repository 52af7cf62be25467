"""ONNX Runtime on WebGPU (Dawn) beside ONNX Runtime's own code for processors, in one process, interleaved.

Four networks with random weights: separable convolutions (as mobilenet), 3 x 3 convolutions with sums of what went
around them (as resnet), 1 x 1 convolutions that are joined with 3 x 3 ones (as squeezenet), each on a picture of 224 x
224, and layers of attention (as a small transformer of language) on 128 tokens. The least of many runs in milliseconds
of processor time, one thread each (processors beside, such as those of other programs, do not count), and how many
times as fast WebGPU is. The results of both are compared.

    ort_speed.py [NETWORK...]
"""

import os
import sys
import time

import numpy as np

os.environ.setdefault("PYROCLAST_THREADS", "1")
import onnx  # noqa: E402
import onnxruntime  # noqa: E402

SECONDS, SIZE, CLASSES = 3.0, 224, 1000


class Network:
    """A graph of operators in the making, and its weights."""

    def __init__(self, shape):
        self.random = np.random.default_rng(1)
        self.shape, self.nodes, self.weights = shape, [], []
        self.last = "data"

    def weight(self, array):
        name = f"w{len(self.weights)}"
        self.weights.append(onnx.numpy_helper.from_array(array, name))
        return name

    def numbers(self, shape, scale):
        return self.weight((self.random.standard_normal(shape) * scale).astype(np.float32))

    def add(self, kind, inputs=None, **attributes):
        """An operator that reads the last one's result, or what it is told; its result is the last one now."""
        name = f"v{len(self.nodes)}"
        self.nodes.append(onnx.helper.make_node(kind, inputs or [self.last], [name], **attributes))
        self.last = name
        return name

    def convolution(self, outputs, inputs, kernel, stride, group=1, active=True):
        inner = inputs // group
        weights = self.numbers((outputs, inner, kernel, kernel), 1.4 / np.sqrt(inner * kernel * kernel))
        border = kernel // 2
        options = dict(strides=[stride] * 2, pads=[border] * 4, kernel_shape=[kernel] * 2, group=group)
        self.add("Conv", [self.last, weights, self.numbers((outputs,), 0.1)], **options)
        if active:
            self.add("Relu")

    def pool(self):
        self.add("MaxPool", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])

    def classes(self, channels):
        self.add("GlobalAveragePool")
        self.add("Flatten")
        self.add("Gemm", [self.last, self.numbers((channels, CLASSES), 0.05), self.numbers((CLASSES,), 0.1)])
        self.add("Softmax")

    def dense(self, inputs, outputs, source=None):
        product = self.add("MatMul", [source or self.last, self.numbers((inputs, outputs), 1 / np.sqrt(inputs))])
        return self.add("Add", [product, self.numbers((outputs,), 0.1)])

    def model(self):
        value = onnx.helper.make_tensor_value_info
        data = value("data", onnx.TensorProto.FLOAT, self.shape)
        out = value(self.last, onnx.TensorProto.FLOAT, None)
        graph = onnx.helper.make_graph(self.nodes, "network", [data], [out], self.weights)
        return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=9)


def separable():
    net, channels = Network([1, 3, SIZE, SIZE]), 32
    net.convolution(channels, 3, 3, 2)
    for outputs, stride in (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1), (512, 1), (1024, 2):
        net.convolution(channels, channels, 3, stride, group=channels)
        net.convolution(outputs, channels, 1, 1)
        channels = outputs
    net.classes(channels)
    return net


def residual():
    net, channels = Network([1, 3, SIZE, SIZE]), 64
    net.convolution(channels, 3, 7, 2)
    net.pool()
    for outputs, stride in (64, 1), (128, 2), (256, 2):
        around = net.last
        net.convolution(outputs, channels, 3, stride)
        net.convolution(outputs, outputs, 3, 1, active=False)
        straight = net.last
        if stride != 1:
            net.last = around
            net.convolution(outputs, channels, 1, stride, active=False)
            around = net.last
        net.add("Add", [straight, around])
        net.add("Relu")
        channels = outputs
    net.classes(channels)
    return net


def joined():
    net, channels = Network([1, 3, SIZE, SIZE]), 64
    net.convolution(channels, 3, 3, 2)
    for narrow, wide, count in (16, 64, 2), (32, 128, 2), (48, 192, 2), (64, 256, 2):
        if narrow != 48:
            net.pool()
        for _ in range(count):
            net.convolution(narrow, channels, 1, 1)
            source = net.last
            net.convolution(wide, narrow, 1, 1)
            one, net.last = net.last, source
            net.convolution(wide, narrow, 3, 1)
            net.add("Concat", [one, net.last], axis=1)
            channels = 2 * wide
    net.classes(channels)
    return net


def attention():
    width, heads, tokens, layers = 256, 4, 128, 4
    net = Network([1, tokens, width])
    whole = net.weight(np.array([1, tokens, width], dtype=np.int64))
    parts = net.weight(np.array([1, tokens, heads, width // heads], dtype=np.int64))
    scale = net.weight(np.array(1 / np.sqrt(width // heads), dtype=np.float32))

    def norm(source):
        factors = net.weight(np.ones(width, dtype=np.float32))
        return net.add("LayerNormalization", [source, factors, net.numbers((width,), 0.1)], axis=-1)

    def split(source, order):
        net.dense(width, width, source)
        net.add("Reshape", [net.last, parts])
        return net.add("Transpose", perm=order)

    state = "data"
    for _ in range(layers):
        read = norm(state)
        query, key = split(read, [0, 2, 1, 3]), split(read, [0, 2, 3, 1])
        value = split(read, [0, 2, 1, 3])
        net.add("Mul", [net.add("MatMul", [query, key]), scale])
        net.add("Softmax", axis=-1)
        net.add("MatMul", [net.last, value])
        net.add("Transpose", perm=[0, 2, 1, 3])
        net.add("Reshape", [net.last, whole])
        state = net.add("Add", [state, net.dense(width, width)])
        net.dense(width, 4 * width, norm(state))
        half = net.weight(np.array(0.5, dtype=np.float32))
        inner = net.last
        net.add("Mul", [inner, net.weight(np.array(1 / np.sqrt(2), dtype=np.float32))])
        net.add("Erf")
        net.add("Add", [net.last, net.weight(np.array(1, dtype=np.float32))])
        net.add("Mul", [net.add("Mul", [inner, net.last]), half])
        state = net.add("Add", [state, net.dense(4 * width, width)])
    norm(state)
    return net


class Runner:
    """A network on a processor or by WebGPU."""

    def __init__(self, model, provider, data):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(model, options, providers=[provider])
        assert self.session.get_providers()[0] == provider, self.session.get_providers()
        self.data, self.least = data, float("inf")
        for _ in range(3):
            self.run()
        self.least = float("inf")

    def run(self):
        start = time.process_time()
        self.result = self.session.run(None, {"data": self.data})[0]
        self.least = min(self.least, time.process_time() - start)


def main():
    assert "WebGpuExecutionProvider" in onnxruntime.get_available_providers()
    print("network      own ms  WebGPU ms  times")
    networks = {"separable": separable, "residual": residual, "joined": joined, "attention": attention}
    for name in sys.argv[1:] or networks:
        net = networks[name]()
        model = net.model().SerializeToString()
        data = np.random.default_rng(2).standard_normal(net.shape, dtype=np.float32)
        own, webgpu = (Runner(model, f"{kind}ExecutionProvider", data) for kind in ("CPU", "WebGpu"))
        end = time.perf_counter() + SECONDS
        while time.perf_counter() < end:
            own.run()
            webgpu.run()
        error = np.abs(own.result - webgpu.result).max() / np.abs(own.result).max()
        assert error < 1e-3, f"{name}: {error:.1e}"
        times = own.least / webgpu.least
        print(f"{name:10} {own.least * 1e3:8.2f} {webgpu.least * 1e3:10.2f} {times:6.2f}", flush=True)


main()
os._exit(0)  # Dawn's own objects want no order at exit
