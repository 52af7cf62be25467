"""pyroclast-VERSION-1.x86_64.rpm: the tree below /usr, made by `rpmbuild`."""

import os
import shutil

from .common import DESCRIPTION, LICENSE, NAME, OUT, SUMMARY, epoch, files_of, run, version

# Nothing of the machine that builds gets in: no host, no time, no links by build id, no scripts that change files.
SPEC = """\
%define _buildhost localhost
%define use_source_date_epoch_as_buildtime 1
%define clamp_mtime_to_source_date_epoch 1
%define _build_id_links none
%define __os_install_post %{{nil}}
%define _binary_payload w9.xzdio
%global debug_package %{{nil}}
Name: {name}
Version: {version}
Release: 1
Summary: {summary}
License: {license}
AutoReqProv: no
Requires: glibc >= 2.28
Requires: libgcc
Recommends: vulkan-loader

%description
{description}
%install
cp -a {tree} %{{buildroot}}/usr

%files
{files}
"""


def build(folder):
    """The package of the tree."""
    root = OUT / "rpm"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    for path in files_of(folder):
        os.utime(path, (epoch(), epoch()))
    files = "\n".join(f"/usr/{path.relative_to(folder)}" for path in files_of(folder))
    spec = SPEC.format(
        name=NAME,
        version=version(),
        summary=SUMMARY,
        license=LICENSE,
        description=DESCRIPTION,
        tree=folder,
        files=files,
    )
    (root / "pyroclast.spec").write_text(spec)
    environment = dict(os.environ, SOURCE_DATE_EPOCH=str(epoch()))
    command = ["rpmbuild", "-bb", "--quiet", "--nodeps", "--target", "x86_64", "--define", f"_topdir {root}"]
    run([*command, root / "pyroclast.spec"], env=environment)
    made = next((root / "RPMS").rglob("*.rpm"))
    package = OUT / f"{NAME}-{version()}-1.x86_64.rpm"
    shutil.move(made, package)
    return [package]
