"""glxgears in OpenGL through Mesa's zink: three gears of their colours, turning."""

import os
import subprocess

import display

display.need("glxgears", "glxinfo")
with display.server():
    # Not for the server, which draws by OpenGL too. zink takes a device of type CPU only with the first.
    os.environ.update(LIBGL_ALWAYS_SOFTWARE="1", MESA_LOADER_DRIVER_OVERRIDE="zink", GALLIUM_DRIVER="zink")
    info = subprocess.run(["glxinfo", "-B"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    lines = [line.strip() for line in info.splitlines() if "renderer string" in line or "version string" in line]
    assert any("zink" in line for line in lines), f"OpenGL is not zink: {info}"
    (first, second), text = display.watch(["glxgears"], 6)
for name, channel in (("red", 0), ("green", 1), ("blue", 2)):
    width, height, pixel = second
    colors = [pixel(x, y) for y in range(0, height, 2) for x in range(0, width, 2)]
    count = sum(c[channel] > 100 and c[channel] == max(c) and min(c) < 60 for c in colors)
    assert count > 200, f"the {name} gear is not there: {count} pixels"
moved = display.difference(first, second)
assert moved > 100, f"only {moved} pixels changed: {text}"
print("; ".join(lines[:2]))
