"""The PyPI package `wgpu` after `pyroclast.activate()`: it hides devices that report no conformance version."""

import pyroclast

pyroclast.activate()
import wgpu

print(wgpu.gpu.request_adapter_sync().info["device"])
