"""vkcube on a Wayland compositor, weston without a screen: the cube is drawn, and turns."""

import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import display

SOCKET = "pyroclast-test"

display.need("vkcube-wayland", "weston", "weston-screenshooter")


@contextlib.contextmanager
def compositor():
    """Starts weston, sets WAYLAND_DISPLAY and goes to a folder of its own, where its pictures come to be."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder
        os.chdir(folder)
        command = ["weston", "--backend=headless-backend.so", "--use-pixman", "--width=640", "--height=480"]
        # Pictures of the screen are given to anybody with --debug.
        command += [f"--socket={SOCKET}", "--debug", "--idle-time=0"]
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            end = time.monotonic() + 20
            while not pathlib.Path(folder, SOCKET).exists():
                if child.poll() is not None or time.monotonic() > end:
                    print("weston does not start")
                    sys.exit(display.SKIP)
                time.sleep(0.1)
            os.environ["WAYLAND_DISPLAY"] = SOCKET
            yield
        finally:
            child.terminate()
            child.wait()


def screenshot():
    """Width, height, and a function of x and y that gives red, green and blue."""
    subprocess.run(["weston-screenshooter"], check=True, timeout=20)
    [path] = pathlib.Path().glob("*.png")
    picture = display.decode_png(path.read_bytes())
    path.unlink()
    return picture


with compositor():
    (first, second), text = display.watch(["vkcube-wayland", "--c", "100000"], 8, picture=screenshot)
colors = display.colors_of(second)
assert len(colors) > 100, f"only {len(colors)} colours are on the screen: {text}"
moved = display.difference(first, second)
assert moved > 200, f"only {moved} pixels changed: {text}"
print(f"vkcube: {len(colors)} colours, {moved} of the pixels looked at moved")
