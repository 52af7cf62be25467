"""pyroclast_VERSION_amd64.deb: the tree below /usr, made by `dpkg-deb`."""

import gzip
import os
import shutil

from .common import DESCRIPTION, NAME, OUT, SUMMARY, epoch, files_of, run, version

CONTROL = """\
Package: {name}
Version: {version}
Architecture: amd64
Maintainer: The Pyroclast developers <pyroclast@localhost>
Installed-Size: {kilobytes}
Depends: libc6 (>= 2.28), libgcc-s1
Recommends: libvulkan1
Provides: vulkan-icd
Section: libs
Priority: optional
Description: {summary}
{description}"""
COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: pyroclast

Files: *
Copyright: The Pyroclast developers
License: MIT or Apache-2.0
 The texts are in LICENSE-MIT and LICENSE-APACHE, those of the packages that the
 library is linked with in licences-of-dependencies.txt, all in this folder.
"""


def build(folder):
    """The package of the tree."""
    root = OUT / "debian"
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(folder, root / "usr")
    for page in (root / "usr/share/man/man1").glob("*.1"):
        page.with_suffix(".1.gz").write_bytes(gzip.compress(page.read_bytes(), 9, mtime=0))
        page.unlink()
    (root / "usr/share/doc/pyroclast/copyright").write_text(COPYRIGHT)
    bytes_in_all = sum(path.stat().st_size for path in files_of(root))
    description = "".join(f" {line}\n" for line in DESCRIPTION.splitlines())
    control = CONTROL.format(
        name=NAME, version=version(), kilobytes=bytes_in_all // 1024 + 1, summary=SUMMARY, description=description
    )
    (root / "DEBIAN").mkdir()
    (root / "DEBIAN/control").write_text(control)
    for path in [root, *root.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)
    package = OUT / f"{NAME}_{version()}_amd64.deb"
    environment = dict(os.environ, SOURCE_DATE_EPOCH=str(epoch()))
    run(["dpkg-deb", "--build", "--root-owner-group", "-Zxz", "-z9", root, package], env=environment)
    return [package]
