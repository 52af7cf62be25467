"""vkcube in a window: the cube is drawn, and turns; with xdotool, also when the window gets other sizes."""

import re
import shutil
import subprocess
import time

import display

display.need("vkcube")
CUBE = ["vkcube", "--c", "100000"]
SIZES = ((900, 700), (300, 200), (640, 480))


def resized():
    """The colours that vkcube shows at each of the sizes."""
    child = subprocess.Popen(CUBE, stdout=subprocess.DEVNULL)
    counts = []
    try:
        time.sleep(3)
        listing = ["xwininfo", "-root", "-children"]
        text = subprocess.run(listing, stdout=subprocess.PIPE, text=True, timeout=20).stdout
        window = re.findall(r"^\s+(0x[0-9a-f]+) ", text, re.MULTILINE)[0]
        for width, height in SIZES:
            subprocess.run(["xdotool", "windowsize", window, str(width), str(height)], check=True, timeout=20)
            time.sleep(2)
            assert child.poll() is None, f"vkcube ended at {width}x{height}, status {child.returncode}"
            text = subprocess.run(listing, stdout=subprocess.PIPE, text=True, timeout=20).stdout
            left, top = map(int, re.search(window + r".*\+(\d+)\+(\d+)$", text, re.MULTILINE).groups())
            screen_width, screen_height, pixel = display.screenshot()
            right, bottom = min(left + width, screen_width), min(top + height, screen_height)
            colors = {pixel(x, y) for y in range(top, bottom, 3) for x in range(left, right, 3)}
            assert len(colors) > 50, f"only {len(colors)} colours at {width}x{height}"
            # The background reaches the window's last corner.
            assert pixel(right - 2, bottom - 2) == pixel(left + 2, top + 2), f"a part is missing at {width}x{height}"
            counts.append(len(colors))
    finally:
        child.terminate()
        child.wait()
    return counts


with display.server("1200x900x24"):
    (first, second), text = display.watch(CUBE, 8)
    colors = display.colors_of(second)
    assert len(colors) > 100, f"only {len(colors)} colours are on the screen: {text}"
    moved = display.difference(first, second)
    assert moved > 200, f"only {moved} pixels changed: {text}"
    said = f"vkcube: {len(colors)} colours, {moved} of the pixels looked at moved"
    if shutil.which("xdotool") and shutil.which("xwininfo"):
        said += f"; {resized()} colours after resizing"
print(said)
