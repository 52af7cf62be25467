"""What `testing/arm` and `testing/windows` share: packages of a compiler, unpacked and not installed."""

import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True


def run(*command, **options):
    subprocess.run([str(part) for part in command], check=True, **options)


def install(missing):
    """Installs packages by apt, which only root can."""
    if not missing:
        return
    if os.geteuid():
        sys.exit(f"not installed: {' '.join(missing)}")
    run("apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing)


def unpack(packages, toolchain, folder, env=None):
    """Unpacks packages of a compiler, downloaded to a folder meanwhile, and writes a `rustc` that runs it."""
    folder.mkdir(parents=True, exist_ok=True)
    download = ["apt-get", "download", "-qq", *packages]
    if subprocess.run(download, env=env, cwd=folder).returncode:
        # The lists of packages may be old.
        run("apt-get", "update", "-qq", env=env)
        run(*download, env=env, cwd=folder)
    for package in sorted(folder.glob("*.deb")):
        run("dpkg-deb", "-x", package, toolchain)
    shutil.rmtree(folder)
    here = 'here=$(dirname "$(readlink -f "$0")")'
    libraries = 'LD_LIBRARY_PATH="$here/usr/lib/x86_64-linux-gnu"'
    wrapper = toolchain / "rustc"
    wrapper.write_text(f'#!/bin/sh\n{here}\n{libraries} exec "$here/usr/bin/rustc" "$@"\n')
    wrapper.chmod(0o755)
