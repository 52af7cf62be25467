"""GFXReconstruct captures vkcube and replays it: the frames are the same."""

import os
import pathlib
import subprocess
import tempfile

import display

display.need("gfxrecon-capture-vulkan.py", "gfxrecon-replay", "vkcube")
FRAMES = 20


def frames(folder):
    """The frames that the driver wrote, by name."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def run(command, folder):
    """Runs a command; the frames that it presents."""
    folder.mkdir()
    environment = dict(os.environ, PYROCLAST_PRESENT_DIR=str(folder))
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100
    )
    assert done.returncode == 0, done.stdout[-800:]
    return frames(folder)


with display.server(), tempfile.TemporaryDirectory(dir=display.scratch()) as scratch:
    place = pathlib.Path(scratch)
    capture = ["gfxrecon-capture-vulkan.py", "-o", str(place / "cube.gfxr"), "vkcube", "--c", str(FRAMES)]
    shown = run(capture, place / "shown")
    (file,) = place.glob("*.gfxr")
    again = run(["gfxrecon-replay", str(file)], place / "again")
    # Other drivers write no frames.
    assert len(shown) in (0, FRAMES), f"{len(shown)} frames"
    assert list(shown) == list(again), f"{len(shown)} and {len(again)} frames"
    different = [name for name in shown if shown[name] != again[name]]
    assert not different, f"{len(different)} of {len(shown)} frames differ"
print(f"gfxreconstruct: {len(shown)} frames are the same")
