"""vkcube in a window: the cube is drawn, and turns."""

import display

display.need("vkcube")
with display.server():
    (first, second), text = display.watch(["vkcube", "--c", "100000"], 8)
colors = display.colors_of(second)
assert len(colors) > 100, f"only {len(colors)} colours are on the screen: {text}"
moved = display.difference(first, second)
assert moved > 200, f"only {moved} pixels changed: {text}"
print(f"vkcube: {len(colors)} colours, {moved} of the pixels looked at moved")
