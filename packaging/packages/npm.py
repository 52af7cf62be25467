"""pyroclast-VERSION.tgz and pyroclast-linux-x64-VERSION.tgz for npm: the second holds the library, and the first depends on
it where the platform is the right one.

The archives are written here, and not by `npm pack`, which is not needed for building then.
"""

import gzip
import io
import json
import shutil
import tarfile

from . import tree
from .archive import add
from .common import LICENSE, NAME, OUT, ROOT, SUMMARY, files_of, version

PLATFORM = "@pyroclast/linux-x64"
SOURCE = ROOT / "packaging/npm/pyroclast"


def shared(name):
    """What both manifests have."""
    return {"name": name, "version": version(), "description": SUMMARY, "license": LICENSE}


def main_manifest():
    """package.json of the package that users name."""
    return shared(NAME) | {
        "keywords": ["vulkan", "webgpu", "webgl", "playwright", "puppeteer", "testing", "ci"],
        "main": "index.js",
        "types": "index.d.ts",
        "exports": {".": {"types": "./index.d.ts", "import": "./index.mjs", "require": "./index.js"}},
        "bin": {NAME: "command.js"},
        "engines": {"node": ">=18"},
        "optionalDependencies": {PLATFORM: version()},
    }


def platform_manifest():
    """package.json of the package that holds the library."""
    return shared(PLATFORM) | {"os": ["linux"], "cpu": ["x64"], "libc": ["glibc"]}


def pack(folder, package):
    """An archive as npm wants it: all below `package/`."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in files_of(folder):
            add(archive, f"package/{path.relative_to(folder)}", path)
    package.write_bytes(gzip.compress(data.getvalue(), 9, mtime=0))
    return package


def build(folder):
    """The two packages."""
    root = OUT / "npm"
    shutil.rmtree(root, ignore_errors=True)
    main, platform = root / "main", root / "platform"
    shutil.copytree(SOURCE, main)
    platform.mkdir()
    documents = folder / "share/doc/pyroclast"
    for place, manifest in [(main, main_manifest()), (platform, platform_manifest())]:
        (place / "package.json").write_text(json.dumps(manifest, indent=2) + "\n")
        for name in ["LICENSE-MIT", "LICENSE-APACHE"]:
            shutil.copy(documents / name, place)
    shutil.copy(documents / "licences-of-dependencies.txt", platform)
    shutil.copy(folder / tree.LIBRARY, platform)
    (platform / "README.md").write_text("The library of the package `pyroclast` for Linux on x86-64.\n")
    (platform / "pyroclast_icd.json").write_text(tree.manifest("./libpyroclast_icd.so"))
    (main / "command.js").chmod(0o755)
    return [
        pack(main, OUT / f"{NAME}-{version()}.tgz"),
        pack(platform, OUT / f"{NAME}-linux-x64-{version()}.tgz"),
    ]
