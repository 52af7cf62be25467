"""Direct3D 12 by vkd3d: its triangle of three colours, and its three gears, turning."""

import display

display.need("vkd3d-gears", "vkd3d-triangle")
with display.server():
    (_, picture), text = display.watch(["vkd3d-triangle"], 6)
width, height, pixel = picture
colors = [pixel(x, y) for y in range(0, height, 4) for x in range(0, width, 4)]
for channel in range(3):
    strongest = max(color[channel] - sum(color) + color[channel] for color in colors)
    assert strongest > 150, f"no corner of the triangle has channel {channel}: {text[-500:]}"
with display.server():
    (first, second), text = display.watch(["vkd3d-gears"], 6)
width, height, pixel = second
for name, channel in (("red", 0), ("green", 1), ("blue", 2)):
    colors = [pixel(x, y) for y in range(0, height, 2) for x in range(0, width, 2)]
    count = sum(c[channel] > 100 and c[channel] == max(c) and min(c) < 60 for c in colors)
    assert count > 200, f"the {name} gear is not there: {count} pixels"
moved = display.difference(first, second)
assert moved > 100, f"only {moved} pixels changed: {text[-500:]}"
print(f"vkd3d-triangle and vkd3d-gears: {moved} pixels moved")
