"""The driver's files, and the variables by which the Vulkan loader finds them."""

import os
import pathlib

# The driver's library, and the manifest that names it to the loader.
LIBRARY = pathlib.Path(__file__).resolve().parent / "libpyroclast_icd.so"
MANIFEST = LIBRARY.with_name("pyroclast_icd.json")
# What wgpu takes as a conformant device.
CONFORMANCE_VERSION = "1.3.0.0"


def environment(add=False, conformance=True, base=None):
    """The variables that make the loader show this device, as a dictionary to give to a process.

    By default it is the only device; with `add` it comes before those that are installed (loaders since 1.3.207). `base` is
    the environment to start from: its list of added drivers is kept, and its conformance version.
    """
    base = os.environ if base is None else base
    manifest = str(MANIFEST)
    if add:
        others = [path for path in base.get("VK_ADD_DRIVER_FILES", "").split(":") if path and path != manifest]
        variables = {"VK_ADD_DRIVER_FILES": ":".join([manifest, *others])}
    else:
        # The second name is that of loaders before 1.3.207.
        variables = {"VK_DRIVER_FILES": manifest, "VK_ICD_FILENAMES": manifest}
    if conformance and not base.get("PYROCLAST_CONFORMANCE_VERSION"):
        variables["PYROCLAST_CONFORMANCE_VERSION"] = CONFORMANCE_VERSION
    return variables


def activate(add=False, conformance=True):
    """Sets these variables for this process and those that it starts; to be called before the first Vulkan call."""
    os.environ.update(environment(add, conformance))
