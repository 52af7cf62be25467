"""slangpy: the Slang compiler and its runtime on Vulkan; sums of sines in a compute kernel."""

import os
import pathlib
import tempfile

import numpy
import slangpy

SOURCE = """
RWStructuredBuffer<float> sums;
[shader("compute")] [numthreads(32, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    float sum = 0;
    for (int i = 0; i < int(id.x); i++) sum += sin(float(i));
    sums[id.x] = sum;
}
"""
COUNT = 256
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "sums.slang"
    path.write_text(SOURCE)
    device = slangpy.Device(type=slangpy.DeviceType.vulkan)
    kernel = device.create_compute_kernel(device.load_program(str(path), ["main"]))
    usage = slangpy.BufferUsage.unordered_access | slangpy.BufferUsage.shader_resource
    buffer = device.create_buffer(size=COUNT * 4, struct_size=4, usage=usage)
    kernel.dispatch(thread_count=[COUNT, 1, 1], vars={"sums": buffer})
    got = buffer.to_numpy().view(numpy.float32)
expected = numpy.array([numpy.sin(numpy.arange(i)).sum() for i in range(COUNT)])
error = numpy.abs(got - expected).max()
assert error < 1e-4, f"sums are off by {error}"
print(f"slangpy on {device.info.adapter_name}, off by {error:.1e}", flush=True)
# Its interpreter teardown is not what is tested.
os._exit(0)
