"""What users of the plugin write."""

import os
import struct

import numpy as np
import pytest


def test_device(vulkan_device):
    assert vulkan_device.name == "Pyroclast"
    data = np.ones(64, np.float32)
    buffers = {0: data, (1, 2): np.zeros(4, np.float32)}
    vulkan_device.run(os.environ["SHADER"], buffers, push=struct.pack("f", 0.5), uniform=[(1, 2)])
    assert (data == 2.5).all()


def test_loader_variables():
    assert os.environ["VK_DRIVER_FILES"].endswith("pyroclast_icd.json")


def gradient():
    return np.tile(np.arange(32, dtype=np.uint8)[None, :, None], (16, 1, 3))


def test_same_picture(pictures):
    pictures.compare(gradient(), "gradient.png")


def test_other_picture_fails(pictures, request):
    if request.config.getoption("--bless-pictures"):
        pytest.skip("nothing is compared")
    with pytest.raises(pytest.fail.Exception, match="pixels differ"):
        pictures.compare(gradient() + np.uint8(9), "gradient.png")
