"""ffmpeg's Vulkan filters: frames go up, are scaled, flipped and blurred, come down, and are nearly as on the CPU.

Its flips sample half a pixel beside the texels' middles, so edges differ by a pixel, with every driver.
"""

import subprocess
import sys

import display

WIDTH, HEIGHT = 640, 360
SOURCE = ["-f", "lavfi", "-i", f"smptebars=size={WIDTH}x{HEIGHT}:rate=5:duration=1"]


def frames(filters, kind, device=True):
    """The bytes of what a chain of filters makes of the test picture."""
    vulkan = ["-init_hw_device", "vulkan=gpu", "-filter_hw_device", "gpu"] if device else []
    command = ["ffmpeg", "-v", "error", *vulkan, *SOURCE, "-vf", filters, "-frames:v", "2"]
    command += ["-f", "rawvideo", "-pix_fmt", kind, "-"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0 or not done.stdout:
        sys.exit(f"{filters}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def compare(name, vulkan, plain, allowed):
    assert len(vulkan) == len(plain), f"{name}: {len(vulkan)} bytes, expected {len(plain)}"
    mean = sum(abs(a - b) for a, b in zip(vulkan, plain)) / len(plain)
    assert mean <= allowed, f"{name}: bytes differ by {mean:.2f} on average"
    print(f"{name}: mean difference {mean:.3f}")


display.need("ffmpeg")
known = subprocess.run(["ffmpeg", "-hide_banner", "-filters"], stdout=subprocess.PIPE, text=True).stdout
if "scale_vulkan" not in known:
    print("this ffmpeg has no Vulkan filters")
    sys.exit(display.SKIP)
for name, vulkan, plain, kind, allowed in (
    ("hflip", "hflip_vulkan", "hflip", "yuv420p", 1.5),
    ("vflip", "vflip_vulkan", "vflip", "rgba", 1.5),
    ("transpose", "transpose_vulkan=dir=clock", "transpose=dir=clock", "rgba", 1.5),
    ("scale", "scale_vulkan=320:180:scaler=bilinear", "scale=320:180:flags=area", "rgba", 1.5),
    ("gblur", "gblur_vulkan=sigma=2:size=19", "gblur=sigma=2:steps=3", "rgba", 1.5),
):
    up = f"format={kind},hwupload,{vulkan},hwdownload,format={kind}"
    compare(name, frames(up, kind), frames(f"format={kind},{plain}", kind, device=False), allowed)
