"""A ball and a cube on the ground by ernie: Slang's shaders, device addresses and ray queries, from one wheel."""

import ernie
import numpy
from ernie import tokens

scene = ernie.Scene()
scene.define("/World/Ground", ernie.GroundPlane)
scene.define("/World/Ball", ernie.Sphere, translate=(0, 0, 1))
scene.define("/World/Cube", ernie.Cube, translate=(2, 1, 1))
sun = ernie.distant_light_transform((0.4, -0.6, 0.7))
scene.define("/World/Sun", ernie.DistantLight).set(tokens.TRANSFORM, sun)
camera = ernie.look_at_transform((0, -8, 3), (0, 0, 1))
scene.define("/World/Camera", ernie.Camera).set(tokens.TRANSFORM, camera)
scene.define("/Render/Settings", ernie.RenderSettings, camera="/World/Camera", resolution=(320, 240))
renderer = ernie.Renderer()
first = numpy.array(renderer.render(scene))
second = numpy.array(renderer.render(scene))
assert first.shape == (240, 320, 4), first.shape
assert (first == second).all(), "the second picture of the same scene is another"
gray = second[:, :, :3].astype(int).mean(axis=2)
middle, rim = gray[110:130, 150:170].mean(), gray[118:122, 70:74].mean()
assert middle > rim + 20, f"the ball is {middle:.0f} in its middle, {rim:.0f} at its rim"
row = gray[120]
assert abs(row[1:] - row[:-1]).max() > 8, f"nothing has an edge: {row.astype(int).tolist()}"
assert gray[5, :].std() < gray[120, :].std(), "the ground is as uneven as the things on it"
print(f"ernie {ernie.__version__}: the ball is {middle:.0f} in its middle, {rim:.0f} at its rim")
