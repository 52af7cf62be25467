"""What `testing/arm` and `testing/windows` share: packages of a compiler, unpacked and not installed, and a standard
library compiled where no package has it."""

import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True


# Debian's compiler with the source of the standard library.
WITH_SOURCE = ["rustc-web", "rust-web-src", "libstd-rust-web-dev", "libstd-rust-web-1.96", "libllvm22"]


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


def standard_library(toolchain, triple, folder, variables=None):
    """Compiles it with an empty crate, once, and puts it where the compiler of `WITH_SOURCE` looks for it."""
    library = toolchain / "usr/lib/rustlib" / triple / "lib"
    if library.exists():
        return
    crate = folder / "std"
    (crate / "src").mkdir(parents=True, exist_ok=True)
    (crate / "src/lib.rs").write_text("")
    (crate / "Cargo.toml").write_text('[package]\nname = "empty"\nedition = "2024"\n\n[workspace]\n')
    rustc = {"RUSTC": str(toolchain / "rustc"), "RUSTC_BOOTSTRAP": "1", "CARGO_PROFILE_RELEASE_OPT_LEVEL": "2"}
    crates = "-Zbuild-std=std,panic_unwind,test"
    arguments = ["cargo", "build", "--release", crates, "--target", triple, "--target-dir", crate / "target"]
    run(*arguments, cwd=crate, env=os.environ | rustc | (variables or {}))
    built = library.with_name("new")
    built.mkdir(parents=True, exist_ok=True)
    for path in (crate / "target" / triple / "release/deps").glob("*.rlib"):
        if not path.name.startswith("libempty"):
            shutil.copy(path, built)
    built.rename(library)
    shutil.rmtree(crate)
