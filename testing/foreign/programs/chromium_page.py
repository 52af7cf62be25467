"""A page drawn by Chromium's own Vulkan renderer (Skia on Vulkan, not through ANGLE), in a window."""

import shutil
import subprocess
import sys
import time

import devtools
import display

PAGE = """<html><body style="margin:0;background:#fff;overflow:hidden">
<div style="position:absolute;left:0;top:0;width:256px;height:64px;background:linear-gradient(90deg,#000,#f00)"></div>
<div style="position:absolute;left:40px;top:100px;width:100px;height:100px;background:#00f;will-change:transform;
  transform:rotate(45deg)"></div>
<div style="position:absolute;left:200px;top:100px;width:100px;height:100px;background:#0a0;border-radius:50px"></div>
<div style="position:absolute;left:220px;top:120px;width:60px;height:60px;background:#fff;opacity:0.5"></div>
<div style="position:absolute;left:120px;top:220px;font:60px sans-serif;color:#000">Vulkan</div>
<canvas id=plane width=60 height=60 style="position:absolute;left:20px;top:320px"></canvas>
<canvas id=webgl width=60 height=60 style="position:absolute;left:120px;top:320px"></canvas>
<script>
const plane = document.getElementById('plane').getContext('2d');
plane.fillStyle = '#f80';
plane.fillRect(0, 0, 60, 60);
// WebGL has several samples by itself.
const gl = document.getElementById('webgl').getContext('webgl', {antialias: true});
gl.clearColor(0, 1, 1, 1);
gl.clear(gl.COLOR_BUFFER_BIT);
</script></body></html>"""
PORT = 9317

chromium = next((name for name in ("chromium", "chromium-browser", "google-chrome") if shutil.which(name)), None)
if chromium is None:
    print("Chromium is not installed")
    sys.exit(display.SKIP)
folder = display.scratch() / "page"
folder.mkdir(parents=True, exist_ok=True)
(folder / "page.html").write_text(PAGE)
options = ["--no-sandbox", "--disable-gpu-sandbox", "--disable-dev-shm-usage", "--no-first-run", "--disable-gpu-watchdog"]
options += ["--ozone-platform=x11", "--use-vulkan=native", "--enable-features=Vulkan", "--use-angle=vulkan"]
options += ["--ignore-gpu-blocklist", "--enable-gpu-rasterization", f"--remote-debugging-port={PORT}"]
options += [f"--user-data-dir={folder}/profile", "--window-size=600,600"]
# Which backend Skia has; the page about it builds itself from custom elements.
BACKEND = """(() => {
  const texts = node => [node.textContent, ...[...node.querySelectorAll('*')].flatMap(
    one => one.shadowRoot ? texts(one.shadowRoot) : [])];
  return (texts(document).join(' ').match(/Skia Backend\\s*:?\\s*(\\w+?)(?:Passthrough|\\W|$)/) || [])[1] || '';
})()"""

with display.server("800x800x24"):
    child = subprocess.Popen([chromium, *options, "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        about = devtools.open_page(PORT, "chrome://gpu")
        for _ in range(60):
            backend = about.evaluate(BACKEND)
            if backend:
                break
            time.sleep(0.5)
        page = devtools.open_page(PORT, (folder / "page.html").as_uri())
        page.wait_until_loaded()
        # Two frames later all is on the screen.
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
        width, height, pixel = page.picture()
    finally:
        child.terminate()
        child.wait()
assert "Vulkan" in backend, f"Skia draws with {backend or 'nothing that it names'}"
expected = {
    (5, 30): (5, 0, 0),
    (128, 30): (128, 0, 0),
    (250, 30): (249, 0, 0),
    # The square on its corner.
    (90, 85): (0, 0, 255),
    (90, 215): (0, 0, 255),
    (45, 105): (255, 255, 255),
    # The disc, its corner, and what is over it.
    (210, 150): (0, 170, 0),
    (203, 103): (255, 255, 255),
    (250, 150): (128, 213, 128),
    # Canvases.
    (50, 350): (255, 136, 0),
    (150, 350): (0, 255, 255),
}
wrong = {
    place: pixel(*place)
    for place, color in expected.items()
    if any(abs(got - want) > 3 for got, want in zip(pixel(*place), color))
}
assert not wrong, f"the page shows {wrong}"
dark = sum(sum(pixel(x, y)) < 200 for x in range(120, 320) for y in range(220, 290))
assert 1000 < dark < 6000, f"{dark} dark pixels of text"
print(f"{backend}: {width}x{height}, {dark} pixels of text")
