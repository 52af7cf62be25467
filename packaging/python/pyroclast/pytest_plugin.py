"""The plugin for pytest: `--vulkan=pyroclast`, `--shader-tests`, the fixtures `vulkan_device` and `pictures`."""

import json
import pathlib
import subprocess

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
    group.addoption(
        "--shader-tests",
        metavar="PROGRAM",
        help="collect files *.test.toml, tests of shaders, and run each case by this program: the whole command line of "
        "Pyroclast, which packages other than the wheel hold",
    )
    group.addoption("--bless-pictures", action="store_true", help="write the pictures that tests compare with")


def pytest_configure(config):
    """Before any test imports a Vulkan library."""
    if config.getoption("--vulkan") == "pyroclast":
        activate()


def pytest_collect_file(file_path, parent):
    """Tests of shaders, if they are wanted."""
    if parent.config.getoption("--shader-tests") and file_path.name.endswith(".test.toml"):
        return ShaderFile.from_parent(parent, path=file_path)
    return None


class ShaderFile(pytest.File):
    """A file with cases of `pyroclast test`."""

    def run_program(self, *arguments):
        """Runs `pyroclast test` on the file."""
        command = [self.config.getoption("--shader-tests"), "test", str(self.path), *arguments]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)

    def collect(self):
        """The cases, by name."""
        listed = self.run_program("--list")
        if listed.returncode:
            raise self.CollectError(listed.stderr.strip())
        for line in listed.stdout.splitlines():
            yield ShaderCase.from_parent(self, name=line.removeprefix(f"{self.path}::"))


class ShaderFailure(Exception):
    """A case failed; the message says how."""


class ShaderCase(pytest.Item):
    """A case of `pyroclast test`."""

    def runtest(self):
        """Runs the case in a process of its own."""
        name = f"{self.path}::{self.name}"
        done = self.parent.run_program("--json", "--filter", name)
        try:
            # A filter takes every name that contains it.
            result = next(one for one in json.loads(done.stdout)["cases"] if one["name"] == name)
        except (ValueError, StopIteration):
            raise ShaderFailure(done.stderr.strip()) from None
        if result["outcome"] == "skipped":
            pytest.skip(result["message"])
        if result["outcome"] != "passed":
            raise ShaderFailure(result["message"])

    def repr_failure(self, excinfo, style=None):
        """What differs, without the lines of this plugin."""
        if isinstance(excinfo.value, ShaderFailure):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self):
        """Where the case is."""
        return self.path, None, self.name


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
