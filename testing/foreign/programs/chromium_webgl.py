"""WebGL 2 in headless Chromium, through ANGLE on Vulkan: the page draws, reads back, and reports."""

import re
import shutil
import subprocess
import sys
import time

import display

PAGE = """<html><body><script>
const canvas = document.createElement('canvas');
canvas.width = canvas.height = 128;
const gl = canvas.getContext('webgl2', {antialias: false});
const said = [];
if (!gl) said.push('no WebGL 2'); else {
  const shader = (kind, text) => {
    const made = gl.createShader(kind);
    gl.shaderSource(made, '#version 300 es\\nprecision highp float;' + text);
    gl.compileShader(made);
    if (!gl.getShaderParameter(made, gl.COMPILE_STATUS)) said.push(gl.getShaderInfoLog(made));
    return made;
  };
  const program = gl.createProgram();
  gl.attachShader(program, shader(gl.VERTEX_SHADER,
    'in vec2 at; out vec2 uv; void main() { uv = at * 0.5 + 0.5; gl_Position = vec4(at, 0.0, 1.0); }'));
  gl.attachShader(program, shader(gl.FRAGMENT_SHADER,
    'in vec2 uv; uniform sampler2D source; out vec4 color;' +
    'void main() { color = vec4(texture(source, uv).rg, uv.x, 1.0); }'));
  gl.linkProgram(program);
  gl.useProgram(program);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 3, -1, -1, 3]), gl.STATIC_DRAW);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
  gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
  const texels = new Uint8Array([255, 0, 0, 255, 0, 255, 0, 255, 100, 50, 0, 255, 0, 0, 0, 255]);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 2, 2, 0, gl.RGBA, gl.UNSIGNED_BYTE, texels);
  for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) {
    gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
  }
  // A multisampled target, resolved, as engines on the web draw.
  const target = gl.createFramebuffer(), buffer = gl.createRenderbuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, target);
  gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
  gl.renderbufferStorageMultisample(gl.RENDERBUFFER, 4, gl.RGBA8, 128, 128);
  gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER, buffer);
  gl.viewport(0, 0, 128, 128);
  gl.drawArrays(gl.TRIANGLES, 0, 3);
  gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, null);
  gl.blitFramebuffer(0, 0, 128, 128, 0, 0, 128, 128, gl.COLOR_BUFFER_BIT, gl.NEAREST);
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  const pixel = new Uint8Array(4), pixels = [];
  for (const [x, y] of [[32, 32], [96, 32], [32, 96], [96, 96]]) {
    gl.readPixels(x, y, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    pixels.push([...pixel].join(' '));
  }
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  said.push(pixels.join(', '), 'error ' + gl.getError(),
    info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : 'unknown');
}
document.body.dataset.said = said.join(' | ');
</script></body></html>"""

chromium = next((name for name in ("chromium", "chromium-browser", "google-chrome") if shutil.which(name)), None)
if chromium is None:
    print("Chromium is not installed")
    sys.exit(display.SKIP)
folder = display.scratch() / "webgl"
folder.mkdir(parents=True, exist_ok=True)
(folder / "page.html").write_text(PAGE)
options = ["--headless", "--no-sandbox", "--disable-gpu-sandbox", "--disable-dev-shm-usage", "--no-first-run"]
options += ["--use-gl=angle", "--use-angle=vulkan", "--ignore-gpu-blocklist", f"--user-data-dir={folder}/profile"]
with open(folder / "page.txt", "w+") as out:
    child = subprocess.Popen(
        [chromium, *options, "--dump-dom", (folder / "page.html").as_uri()], stdout=out, stderr=subprocess.DEVNULL
    )
    # Some versions print the page and then do not end.
    for _ in range(120):
        time.sleep(0.5)
        found = re.search(r'data-said="([^"]*)"', (folder / "page.txt").read_text())
        if found or child.poll() is not None:
            break
    child.terminate()
    child.wait()
assert found, "the page did not report"
said = found.group(1)
assert "ANGLE" in said and "Vulkan" in said, f"WebGL is not ANGLE on Vulkan: {said}"
pixels = [[int(value) for value in pixel.split()] for pixel in said.split(" | ")[0].split(", ")]
expected = [[255, 0, 64, 255], [0, 255, 192, 255], [100, 50, 64, 255], [0, 0, 192, 255]]
near = all(abs(a - b) <= 2 for got, want in zip(pixels, expected) for a, b in zip(got, want))
assert near and "error 0" in said, f"the page drew {said}, expected {expected}"
print(said)
