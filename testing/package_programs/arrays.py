"""pyroclast.run on arrays that are shared with the device, and on those that are copied."""

import struct
import sys

import numpy as np
import pyroclast

SHADER = sys.argv[1]
offset = np.array([10, 0, 0, 0], np.float32)
shared = pyroclast.zeros(256, np.float32)
assert shared.ctypes.data % 4096 == 0
shared[:] = np.arange(256)
misaligned = np.arange(257, dtype=np.float32)[1:]
for data in (shared, np.arange(256, dtype=np.float32), misaligned):
    before = data.copy()
    buffers = {0: data, (1, 2): offset}
    options = dict(groups=4, push=struct.pack("f", 1.0), constants={3: 3.0}, uniform=[(1, 2)])
    pyroclast.run(SHADER, buffers, **options)
    assert (data == before * 3 + 11).all(), data
for bad in (b"text", b"\0" * 64):
    try:
        pyroclast.run(bad)
        raise AssertionError("a shader that is not SPIR-V was taken")
    except ValueError as error:
        assert "not SPIR-V" in str(error)
try:
    pyroclast.run(SHADER, {0: misaligned[::2]})
    raise AssertionError("an array with gaps was taken")
except TypeError as error:
    assert "contiguous" in str(error)
