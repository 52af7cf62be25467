"""pygfx (over wgpu-py): a lit torus knot, off screen; its light, its shade and its holes."""

import os

os.environ["WGPU_BACKEND_TYPE"] = "Vulkan"
import numpy  # noqa: E402
import pygfx  # noqa: E402
from rendercanvas.offscreen import RenderCanvas  # noqa: E402

canvas = RenderCanvas(size=(320, 240), pixel_ratio=1)
renderer = pygfx.renderers.WgpuRenderer(canvas)
scene = pygfx.Scene()
scene.add(pygfx.Background.from_color("#223"))
scene.add(pygfx.Mesh(pygfx.torus_knot_geometry(1, 0.3, 128, 32), pygfx.MeshPhongMaterial(color="#f60")))
scene.add(pygfx.AmbientLight(0.4))
light = pygfx.DirectionalLight(2)
light.local.position = (3, 4, 5)
scene.add(light)
camera = pygfx.PerspectiveCamera(60, 4 / 3)
camera.local.z = 4
canvas.request_draw(lambda: renderer.render(scene, camera))
picture = numpy.asarray(canvas.draw())[..., :3].astype(int)
background = picture[0, 0]
covered = (numpy.abs(picture - background).max(axis=2) > 20).mean()
shades = len(numpy.unique(picture.reshape(-1, 3), axis=0))
assert 0.2 < covered < 0.5, f"the knot covers {covered:.0%} of the picture"
assert shades > 1000, f"the picture holds {shades} colours"
orange = (picture[..., 0] > picture[..., 2] + 40).mean()
assert orange > 0.15, f"only {orange:.0%} of the picture is orange"
print(f"pygfx: {covered:.0%} covered, {shades} colours")
