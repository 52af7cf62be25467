"""The plugin for pytest: `--vulkan=pyroclast`, the fixtures `vulkan_device` and `pictures`."""

import pathlib

import pytest

from . import Device, activate


def pytest_addoption(parser):
    """The options."""
    group = parser.getgroup("vulkan")
    group.addoption(
        "--vulkan",
        choices=["system", "pyroclast"],
        default="system",
        help="which drivers the Vulkan loader shows to the tests: those of the system, or Pyroclast alone (which then also "
        "reports a conformance version, since wgpu hides devices without one; none is certified)",
    )
    group.addoption("--bless-pictures", action="store_true", help="write the pictures that tests compare with")


def pytest_configure(config):
    """Before any test imports a Vulkan library."""
    if config.getoption("--vulkan") == "pyroclast":
        activate()


@pytest.fixture(scope="session")
def vulkan_device():
    """A device of Pyroclast for compute shaders, whatever the loader shows."""
    with Device() as device:
        yield device


class Pictures:
    """Compares pictures with those in the folder `pictures` beside the test's file."""

    def __init__(self, folder, is_blessing):
        self.folder, self.is_blessing = folder, is_blessing

    def compare(self, actual, name, tolerance=2, differing=0.0):
        """Fails when more than a share of pixels `differing` is further than `tolerance` (of 255) from the picture `name`.

        `actual` is an array of height, width and 3 or 4 components of 8 bits. A picture that does not exist yet fails,
        unless `--bless-pictures` writes it. Where a comparison fails, the actual picture is written beside the expected
        one as `NAME.actual.png`.
        """
        import numpy
        from PIL import Image

        path = self.folder / name
        actual = numpy.asarray(actual, dtype=numpy.uint8)
        if self.is_blessing:
            self.folder.mkdir(exist_ok=True)
            Image.fromarray(actual).save(path)
            return
        if not path.exists():
            pytest.fail(f"there is no picture {path}: write it by --bless-pictures")
        expected = numpy.asarray(Image.open(path))
        if expected.shape != actual.shape:
            pytest.fail(f"{name} is {expected.shape}, the picture {actual.shape}")
        distance = numpy.abs(expected.astype(int) - actual.astype(int)).max(axis=2)
        wrong = int((distance > tolerance).sum())
        if wrong > differing * distance.size:
            Image.fromarray(actual).save(path.with_suffix(".actual.png"))
            most = int(distance.max())
            pytest.fail(f"{name}: {wrong} of {distance.size} pixels differ by more than {tolerance} (at most {most})")


@pytest.fixture
def pictures(request):
    """Compares pictures with those of earlier runs: `pictures.compare(array, "name.png")`."""
    folder = pathlib.Path(request.path).parent / "pictures"
    return Pictures(folder, request.config.getoption("--bless-pictures"))
