"""A compressor whose two halves run on the device, in subgroups of 32: what comes back must be what went in."""

import numpy as np
import streamlz

random = np.random.default_rng(1)
words = b"the same words again and again, with some change at %d. "
samples = {
    "little": b"hello, hello, hello",
    "text": b"".join(words % (i * i) for i in range(4000)),
    "few values": bytes(random.integers(0, 4, 150_000, dtype=np.uint8)),
    "noise": bytes(random.integers(0, 256, 90_000, dtype=np.uint8)),
    "zeros": bytes(1 << 20),
}
codec = streamlz.Compressor(backend="vulkan")
for name, sample in samples.items():
    for level in range(1, 6):
        frame = codec.compress(sample, level=level)
        assert bytes(codec.decompress(frame)) == sample, f"{name} at level {level}"
        assert name not in ("text", "zeros") or len(frame) < len(sample) / 2, f"{name} at level {level}"
print("streamlz", len(samples), "samples")
