// npm's `webgpu` (Dawn): WGSL compute with workgroup memory, and a uniform buffer.
import { create, globals } from 'webgpu';

Object.assign(globalThis, globals);
const gpu = create(['backend=vulkan']);
const adapter = await gpu.requestAdapter();
if (!adapter) throw new Error('Dawn finds no Vulkan adapter');
const device = await adapter.requestDevice();
device.addEventListener('uncapturederror', (event) => {
  console.error(event.error.message);
  process.exit(1);
});

const module = device.createShaderModule({
  code: `
  struct Params { factor: f32, count: u32 }
  @group(0) @binding(0) var<uniform> params: Params;
  @group(0) @binding(1) var<storage, read> values: array<f32>;
  @group(0) @binding(2) var<storage, read_write> result: array<f32>;
  var<workgroup> tile: array<f32, 64>;
  @compute @workgroup_size(64)
  fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
    tile[lane] = select(0.0, values[id.x], id.x < params.count);
    workgroupBarrier();
    let mirrored = tile[63u - lane];
    if (id.x < params.count) { result[id.x] = sqrt(mirrored) * params.factor; }
  }`,
});
const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module, entryPoint: 'main' } });
const count = 64 * 31;
const values = Float32Array.from({ length: count }, (_, i) => (i % 97) ** 2);
const buffer = (size, usage) => device.createBuffer({ size, usage });
const uniforms = buffer(8, GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST);
const source = buffer(count * 4, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST);
const result = buffer(count * 4, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC);
const back = buffer(count * 4, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST);
device.queue.writeBuffer(uniforms, 0, new Float32Array([3]));
device.queue.writeBuffer(uniforms, 4, new Uint32Array([count]));
device.queue.writeBuffer(source, 0, values);
const group = device.createBindGroup({
  layout: pipeline.getBindGroupLayout(0),
  entries: [uniforms, source, result].map((b, binding) => ({ binding, resource: { buffer: b } })),
});
const encoder = device.createCommandEncoder();
const pass = encoder.beginComputePass();
pass.setPipeline(pipeline);
pass.setBindGroup(0, group);
pass.dispatchWorkgroups(count / 64);
pass.end();
encoder.copyBufferToBuffer(result, 0, back, 0, count * 4);
device.queue.submit([encoder.finish()]);
await back.mapAsync(GPUMapMode.READ);
const got = new Float32Array(back.getMappedRange());
for (let i = 0; i < count; ++i) {
  const mirror = i - (i % 64) + 63 - (i % 64);
  const expected = 3 * (mirror % 97);
  if (Math.abs(got[i] - expected) > 1e-3) throw new Error(`element ${i}: ${got[i]}, expected ${expected}`);
}
console.log('dawn on', adapter.info.description || adapter.info.device || adapter.info.vendor);
process.exit(0);
