// WebGL in Chromium by Playwright, and with the driver in its place WebGPU: node playwright_webgl.mjs CHROMIUM options|sandbox
import { chromium } from "playwright-core";
import { chromiumOptions } from "pyroclast";

const [executablePath, way] = process.argv.slice(2);
const installed = way === "sandbox";
// This flag makes the browser tell the page the device's name.
const options = chromiumOptions({ installed, args: ["--enable-webgpu-developer-features"] });
const browser = await chromium.launch({ ...options, chromiumSandbox: installed, executablePath, timeout: 180_000 });
const page = await browser.newPage();
const renderer = await page.evaluate(() => {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) return "no WebGL 2";
  gl.clearColor(1, 0.5, 0, 1);
  gl.clear(gl.COLOR_BUFFER_BIT);
  const pixel = new Uint8Array(4);
  gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
  if (pixel[0] !== 255 || pixel[2] !== 0) return `wrong pixel ${pixel}`;
  return gl.getParameter(gl.getExtension("WEBGL_debug_renderer_info").UNMASKED_RENDERER_WEBGL);
});
console.log(renderer);
if (installed) {
  // navigator.gpu is only there for pages of a secure origin.
  await page.goto("chrome://version");
  const adapter = await page.evaluate(async () => {
    const found = await navigator.gpu?.requestAdapter();
    if (!found) return "no adapter";
    const device = await found.requestDevice();
    const usage = GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ;
    const [from, to] = [GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC, usage].map((usage) => device.createBuffer({ size: 256, usage }));
    const code = `@group(0) @binding(0) var<storage, read_write> to: array<u32>;
      @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) at: u32) { to[at] = at * at; }`;
    const pipeline = device.createComputePipeline({ layout: "auto", compute: { module: device.createShaderModule({ code }) } });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    const entries = [{ binding: 0, resource: { buffer: from } }];
    pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
    pass.dispatchWorkgroups(1);
    pass.end();
    encoder.copyBufferToBuffer(from, 0, to, 0, 256);
    device.queue.submit([encoder.finish()]);
    await to.mapAsync(GPUMapMode.READ);
    const wrong = new Uint32Array(to.getMappedRange()).findIndex((value, at) => value !== at * at);
    return wrong < 0 ? found.info.description : `wrong word ${wrong}`;
  });
  console.log(`WebGPU: ${adapter}`);
}
await browser.close();
