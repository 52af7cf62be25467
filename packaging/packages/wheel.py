"""pyroclast-VERSION-py3-none-manylinux_2_28_x86_64.whl: the library, and the Python package of packaging/python.

Made by hand: no extension module is compiled, the library is loaded by ctypes and by Vulkan's loader, and so one wheel is
for all versions of Python.
"""

import base64
import hashlib
import time
import zipfile

from . import tree
from .common import LICENSE, NAME, OUT, ROOT, SUMMARY, epoch, version

PYTHON = ROOT / "packaging/python"
TAG = "py3-none-manylinux_2_28_x86_64"
METADATA = """\
Metadata-Version: 2.4
Name: {name}
Version: {version}
Summary: {summary}
License-Expression: {license}
License-File: LICENSE-MIT
License-File: LICENSE-APACHE
Requires-Python: >=3.9
Requires-Dist: numpy
Provides-Extra: pictures
Requires-Dist: pillow; extra == "pictures"
Classifier: Framework :: Pytest
Classifier: Operating System :: POSIX :: Linux
Description-Content-Type: text/markdown

"""
WHEEL = f"Wheel-Version: 1.0\nGenerator: packaging/build\nRoot-Is-Purelib: false\nTag: {TAG}\n"
ENTRY_POINTS = "[console_scripts]\npyroclast = pyroclast.__main__:main\n\n[pytest11]\npyroclast = pyroclast.pytest_plugin\n"


def contents(folder):
    """The wheel's files by name."""
    info = f"{NAME}-{version()}.dist-info"
    documents = folder / "share/doc/pyroclast"
    metadata = METADATA.format(name=NAME, version=version(), summary=SUMMARY, license=LICENSE)
    files = {path.relative_to(PYTHON).as_posix(): path.read_bytes() for path in PYTHON.glob("pyroclast/*.py")}
    files["pyroclast/__init__.py"] = files["pyroclast/__init__.py"].replace(b"@VERSION@", version().encode())
    files["pyroclast/libpyroclast_icd.so"] = (folder / tree.LIBRARY).read_bytes()
    files["pyroclast/pyroclast_icd.json"] = tree.manifest("./libpyroclast_icd.so").encode()
    files[f"{info}/METADATA"] = (metadata + (PYTHON / "README.md").read_text()).encode()
    files[f"{info}/WHEEL"] = WHEEL.encode()
    files[f"{info}/entry_points.txt"] = ENTRY_POINTS.encode()
    for name in ["LICENSE-MIT", "LICENSE-APACHE", "licences-of-dependencies.txt"]:
        files[f"{info}/licenses/{name}"] = (documents / name).read_bytes()
    files[f"{info}/sboms/pyroclast.cdx.json"] = (documents / "pyroclast.cdx.json").read_bytes()
    digest = lambda data: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    rows = [f"{name},sha256={digest(data)},{len(data)}\n" for name, data in files.items()]
    files[f"{info}/RECORD"] = ("".join(rows) + f"{info}/RECORD,,\n").encode()
    return files


def build(folder):
    """The wheel."""
    path = OUT / f"{NAME}-{version()}-{TAG}.whl"
    # The format's times start in 1980.
    moment = max(time.gmtime(epoch())[:6], (1980, 1, 1, 0, 0, 0))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, data in contents(folder).items():
            info = zipfile.ZipInfo(name, moment)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            wheel.writestr(info, data, compresslevel=9)
    return [path]
