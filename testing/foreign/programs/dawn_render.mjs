// npm's `webgpu` (Dawn): a textured triangle with depth and four samples a pixel, resolved, read back.
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
  @group(0) @binding(0) var source: texture_2d<f32>;
  @group(0) @binding(1) var nearest: sampler;
  struct Out { @builtin(position) at: vec4f, @location(0) uv: vec2f }
  @vertex fn vertex(@location(0) at: vec3f) -> Out { return Out(vec4f(at, 1.0), at.xy * 0.5 + 0.5); }
  @fragment fn fragment(in: Out) -> @location(0) vec4f { return textureSample(source, nearest, in.uv); }`,
});
const size = 64;
const pipeline = device.createRenderPipeline({
  layout: 'auto',
  vertex: {
    module,
    entryPoint: 'vertex',
    buffers: [{ arrayStride: 12, attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x3' }] }],
  },
  fragment: { module, entryPoint: 'fragment', targets: [{ format: 'rgba8unorm' }] },
  depthStencil: { format: 'depth24plus', depthWriteEnabled: true, depthCompare: 'less' },
  multisample: { count: 4 },
});
// The second triangle lies behind the first and reaches further.
const corners = new Float32Array([
  -1, -1, 0.25, 1, -1, 0.25, -1, 1, 0.25,
  -1, -1, 0.75, 3, -1, 0.75, -1, 3, 0.75,
]);
const vertices = device.createBuffer({ size: corners.byteLength, usage: GPUBufferUsage.VERTEX | GPUBufferUsage.COPY_DST });
device.queue.writeBuffer(vertices, 0, corners);
const texture = (format, usage, sampleCount = 1, side = size) =>
  device.createTexture({ size: [side, side], format, usage, sampleCount });
const colors = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 0, 255]];
const source = texture('rgba8unorm', GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST, 1, 2);
device.queue.writeTexture({ texture: source }, new Uint8Array(colors.flat()), { bytesPerRow: 8 }, [2, 2]);
const attachment = GPUTextureUsage.RENDER_ATTACHMENT;
const samples = texture('rgba8unorm', attachment, 4);
const depth = texture('depth24plus', attachment, 4);
const target = texture('rgba8unorm', attachment | GPUTextureUsage.COPY_SRC);
const group = device.createBindGroup({
  layout: pipeline.getBindGroupLayout(0),
  entries: [
    { binding: 0, resource: source.createView() },
    { binding: 1, resource: device.createSampler() },
  ],
});
const back = device.createBuffer({ size: size * 256, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
const encoder = device.createCommandEncoder();
const pass = encoder.beginRenderPass({
  colorAttachments: [{
    view: samples.createView(),
    resolveTarget: target.createView(),
    clearValue: [0, 0, 0, 1],
    loadOp: 'clear',
    storeOp: 'discard',
  }],
  depthStencilAttachment: {
    view: depth.createView(), depthClearValue: 1, depthLoadOp: 'clear', depthStoreOp: 'discard',
  },
});
pass.setPipeline(pipeline);
pass.setBindGroup(0, group);
pass.setVertexBuffer(0, vertices);
pass.draw(6);
pass.end();
encoder.copyTextureToBuffer({ texture: target }, { buffer: back, bytesPerRow: 256 }, [size, size]);
device.queue.submit([encoder.finish()]);
await back.mapAsync(GPUMapMode.READ);
const got = new Uint8Array(back.getMappedRange());
for (const [x, y] of [[10, 10], [50, 10], [10, 50], [50, 50]]) {
  // Rows go down, v goes up.
  const expected = colors[(x < size / 2 ? 0 : 1) + (y < size / 2 ? 2 : 0)];
  const pixel = got.slice(y * 256 + x * 4, y * 256 + x * 4 + 4);
  if (expected.some((value, i) => value !== pixel[i])) {
    throw new Error(`pixel ${x}, ${y}: ${pixel}, expected ${expected}`);
  }
}
console.log('dawn drew on', adapter.info.description || adapter.info.device || adapter.info.vendor);
process.exit(0);
