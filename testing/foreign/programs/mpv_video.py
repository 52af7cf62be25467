"""mpv plays a test picture through libplacebo: six bars of their colours, in both of its Vulkan outputs."""

import subprocess

import display

display.need("mpv", "vulkaninfo")
summary = subprocess.run(["vulkaninfo", "--summary"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
# mpv takes a device of type CPU only by its name.
device = next(line.split("=")[1].strip() for line in summary.splitlines() if "deviceName" in line)
SOURCE = "av://lavfi:testsrc2=size=480x240:rate=10,format=yuv420p"
BARS = [(255, 0, 0), (0, 255, 0), (255, 255, 0), (0, 0, 255), (255, 0, 255), (0, 255, 255)]
for output in ("gpu", "gpu-next"):
    command = ["mpv", "--no-config", f"--vo={output}", "--gpu-api=vulkan", "--gpu-context=x11vk"]
    command += [f"--vulkan-device={device}", "--no-audio", "--geometry=480x240+0+0", "--no-border", "--untimed=no"]
    with display.server():
        (first, second), text = display.watch([*command, SOURCE], 8)
    width, height, pixel = second
    places = []
    for i, expected in enumerate(BARS):
        near = [
            x
            for y in range(0, height, 6)
            for x in range(0, width, 6)
            if max(abs(a - b) for a, b in zip(pixel(x, y), expected)) <= 12
        ]
        # Parts of a bar are covered by what moves over it.
        assert len(near) > 150, f"{output}: bar {i}, {expected}, is not there: {text[-500:]}"
        places.append(sum(near) / len(near))
    assert places == sorted(places), f"{output}: the bars are out of order: {places}"
    assert display.difference(first, second) > 20, f"{output}: the video stands still: {text[-500:]}"
print(f"mpv by gpu and gpu-next on {device}")
