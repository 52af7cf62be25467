"""WebGPU in headless Chromium, with the driver in SwiftShader's place: a page computes in half precision, and draws a
triangle into a canvas that it shows."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import devtools
import display

PAGE = """<html><body style="margin:0;background:#fff;overflow:hidden"><canvas width=128 height=128></canvas></body></html>"""
RUN = """(async () => {
  const said = [];
  addEventListener('unhandledrejection', event => said.push(`${event.reason}`));
  // While its process for graphics starts, the browser has none.
  let adapter = null;
  for (let trial = 0; trial < 40 && !adapter; trial++) {
    if (trial) await new Promise(done => setTimeout(done, 250));
    adapter = await navigator.gpu?.requestAdapter();
  }
  if (!adapter) return ['no adapter'];
  said.push(adapter.info.description);
  const device = await adapter.requestDevice({requiredFeatures: ['shader-f16']});
  device.onuncapturederror = event => said.push(event.error.message);
  const compute = device.createComputePipeline({layout: 'auto', compute: {module: device.createShaderModule({code: `
    enable f16;
    @group(0) @binding(0) var<storage, read_write> numbers: array<f16>;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) at: vec3u) {
      numbers[at.x] = f16(at.x) * 0.5h;
    }`})}});
  const words = device.createBuffer({size: 128, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC});
  const back = device.createBuffer({size: 128, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST});
  const canvas = document.querySelector('canvas').getContext('webgpu');
  const format = navigator.gpu.getPreferredCanvasFormat();
  canvas.configure({device, format});
  const module = device.createShaderModule({code: `
    @vertex fn vertex(@builtin(vertex_index) at: u32) -> @builtin(position) vec4f {
      return vec4f(vec2f(vec2u(at & 1u, at >> 1u)) * 4.0 - 1.0, 0.0, 1.0);
    }
    @fragment fn fragment(@builtin(position) at: vec4f) -> @location(0) vec4f {
      return vec4f(select(0.0, 1.0, at.x < 64.0), select(0.0, 1.0, at.y < 64.0), 0.0, 1.0);
    }`});
  const draw = device.createRenderPipeline({layout: 'auto', vertex: {module}, fragment: {module, targets: [{format}]}});
  const encoder = device.createCommandEncoder();
  let pass = encoder.beginComputePass();
  pass.setPipeline(compute);
  pass.setBindGroup(0, device.createBindGroup({layout: compute.getBindGroupLayout(0),
    entries: [{binding: 0, resource: {buffer: words}}]}));
  pass.dispatchWorkgroups(1);
  pass.end();
  encoder.copyBufferToBuffer(words, 0, back, 0, 128);
  pass = encoder.beginRenderPass({colorAttachments: [{view: canvas.getCurrentTexture().createView(),
    loadOp: 'clear', storeOp: 'store', clearValue: [0, 0, 1, 1]}]});
  pass.setPipeline(draw);
  pass.draw(3);
  pass.end();
  device.queue.submit([encoder.finish()]);
  await back.mapAsync(GPUMapMode.READ);
  // 31.5 and 1.5 in half precision.
  const halves = new Uint16Array(back.getMappedRange());
  said.push(`${halves[63].toString(16)} ${halves[3].toString(16)}`);
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  return said;
})()"""
PORT = 9318

display.need("chromium")
# Debian's `chromium` is a script beside no library.
browser = pathlib.Path("/usr/lib/chromium")
if not (browser / "libvk_swiftshader.so").exists():
    print("Chromium's folder is not there, or has no SwiftShader")
    sys.exit(display.SKIP)
folder = display.scratch() / "webgpu"
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
(folder / "page.html").write_text(PAGE)
copy = folder / "browser"
# Links where the file system allows them: no file is written to, two are replaced.
if subprocess.run(["cp", "-al", browser, copy], stderr=subprocess.DEVNULL).returncode:
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(browser, copy)
# As `pyroclast install --chromium` does.
driver = pathlib.Path(os.environ["VK_DRIVER_FILES"])
manifest = json.loads(driver.read_text())
library = driver.parent / manifest["ICD"]["library_path"]
manifest["ICD"]["library_path"] = "./libvk_swiftshader.so"
for name in ["libvk_swiftshader.so", "vk_swiftshader_icd.json"]:
    (copy / name).unlink(missing_ok=True)
bytes = library.read_bytes().replace(b"vkGetInstanceProcBCdr", b"vkGetInstanceProcAddr")
(copy / "libvk_swiftshader.so").write_bytes(bytes)
(copy / "vk_swiftshader_icd.json").write_text(json.dumps(manifest))

options = ["--headless", "--no-sandbox", "--disable-dev-shm-usage", "--no-first-run", "--window-size=300,300"]
options += ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader", "--enable-webgpu-developer-features"]
# A canvas can be shown only where pages are drawn by Vulkan, too.
options += ["--enable-features=Vulkan", "--use-vulkan=swiftshader", "--ignore-gpu-blocklist"]
options += ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
options += [f"--remote-debugging-port={PORT}", f"--user-data-dir={folder}/profile"]
# No driver of the loader's is to be taken instead.
variables = {name: value for name, value in os.environ.items() if not name.startswith("VK_")}
command = [copy / "chromium", *options, "about:blank"]
child = subprocess.Popen(command, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
try:
    page = devtools.open_page(PORT, (folder / "page.html").as_uri())
    page.wait_until_loaded()
    said = page.evaluate(RUN)
    _, _, pixel = page.picture()
finally:
    child.terminate()
    child.wait()
assert said == ["Pyroclast", "4fe0 3e00"], said
shown = {at: pixel(*at) for at in [(30, 30), (100, 30), (30, 100), (100, 100)]}
expected = {(30, 30): (255, 255, 0), (100, 30): (0, 255, 0), (30, 100): (255, 0, 0), (100, 100): (0, 0, 0)}
assert shown == expected, shown
print("computed in half precision; a canvas shows four colours")
