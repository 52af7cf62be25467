"""wgpu-py (the wgpu-native library): WGSL with workgroup memory, indirect dispatch and atomics."""

import numpy as np
import wgpu
from wgpu.backends.wgpu_native.extras import set_instance_extras

# Drivers that report no conformance version are offered only on request.
set_instance_extras(backends=["Vulkan"], flags=["AllowUnderlyingNoncompliantAdapter"])
adapter = wgpu.gpu.request_adapter_sync(power_preference="high-performance")
assert adapter.info["backend_type"] == "Vulkan", adapter.info
device = adapter.request_device_sync()

SOURCE = """
@group(0) @binding(0) var<storage, read> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;
@group(0) @binding(2) var<storage, read_write> bins: array<atomic<u32>, 16>;
var<workgroup> part: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32,
        @builtin(workgroup_id) group: vec3<u32>) {
    let value = values[id.x];
    part[lane] = value;
    atomicAdd(&bins[value % 16u], 1u);
    workgroupBarrier();
    for (var reach = 32u; reach > 0u; reach = reach / 2u) {
        if lane < reach { part[lane] += part[lane + reach]; }
        workgroupBarrier();
    }
    if lane == 0u { sums[group.x] = part[0]; }
}
"""
count = 64 * 50
values = (np.arange(count, dtype=np.uint32) * 2654435761) % 10007
values = values.astype(np.uint32)
usage = wgpu.BufferUsage
source = device.create_buffer_with_data(data=values, usage=usage.STORAGE)
sums = device.create_buffer(size=50 * 4, usage=usage.STORAGE | usage.COPY_SRC)
bins = device.create_buffer(size=64, usage=usage.STORAGE | usage.COPY_SRC)
indirect = device.create_buffer_with_data(data=np.array([50, 1, 1], dtype=np.uint32), usage=usage.INDIRECT)
pipeline = device.create_compute_pipeline(
    layout="auto", compute={"module": device.create_shader_module(code=SOURCE), "entry_point": "main"}
)
group = device.create_bind_group(
    layout=pipeline.get_bind_group_layout(0),
    entries=[
        {"binding": i, "resource": {"buffer": b, "offset": 0, "size": b.size}}
        for i, b in enumerate([source, sums, bins])
    ],
)
encoder = device.create_command_encoder()
run = encoder.begin_compute_pass()
run.set_pipeline(pipeline)
run.set_bind_group(0, group)
run.dispatch_workgroups_indirect(indirect, 0)
run.end()
device.queue.submit([encoder.finish()])
got_sums = np.frombuffer(device.queue.read_buffer(sums), dtype=np.uint32)
got_bins = np.frombuffer(device.queue.read_buffer(bins), dtype=np.uint32)
assert (got_sums == values.reshape(50, 64).sum(axis=1)).all(), got_sums
assert (got_bins == np.bincount(values % 16, minlength=16)).all(), got_bins
print("wgpu-py", wgpu.__version__, "on", adapter.info["device"])
