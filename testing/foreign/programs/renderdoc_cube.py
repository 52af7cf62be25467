"""RenderDoc captures frames of vkcube, by its key, and replays them."""

import pathlib
import subprocess
import tempfile
import time

import display

display.need("renderdoccmd", "vkcube", "xdotool")
CAPTURES = 3


def press(child, folder):
    """Presses the key for a capture in the program's window until there are enough."""
    deadline = time.monotonic() + 60
    while len(list(folder.glob("*.rdc"))) < CAPTURES:
        assert child.poll() is None, f"vkcube ended, status {child.returncode}"
        assert time.monotonic() < deadline, "no capture"
        time.sleep(0.3)
        search = ["xdotool", "search", "--onlyvisible", "--name", ".*"]
        windows = subprocess.run(search, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.split()
        if windows:
            subprocess.run(["xdotool", "windowfocus", windows[-1], "key", "F12"], stderr=subprocess.DEVNULL)


with display.server(), tempfile.TemporaryDirectory(dir=display.scratch()) as scratch:
    place = pathlib.Path(scratch)
    command = ["renderdoccmd", "capture", "-w", "-c", str(place / "cube"), "vkcube", "--c", "2000"]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        press(child, place)
    finally:
        subprocess.run(["xdotool", "search", "--onlyvisible", "--name", ".*", "windowkill"], stderr=subprocess.DEVNULL)
        child.terminate()
        child.wait()
    captures = sorted(place.glob("*.rdc"))[:CAPTURES]
    for capture in captures:
        replay = ["renderdoccmd", "replay", "--loops", "2", str(capture)]
        done = subprocess.run(replay, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100)
        assert done.returncode == 0, f"{capture.name}: status {done.returncode}: {done.stdout[-400:]}"
print(f"renderdoc: {len(captures)} captures of frames replayed")
