"""The driver's library and the command: built for distribution, their debug information in files of its own."""

import dataclasses
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import venv

from .common import OUT, ROOT, TARGET, run

# The oldest glibc that packages run on: manylinux_2_28's.
GLIBC = "2.28"
TRIPLE = "x86_64-unknown-linux-gnu"
TOOLS = ["cargo-zigbuild==0.24.0", "ziglang==0.15.2"]


@dataclasses.dataclass
class Driver:
    """What was built."""

    library: pathlib.Path
    command: pathlib.Path
    # Files of debug information, for whom wants them.
    debug: list


def flags():
    """rustc's flags that give the build's folders fixed names."""
    cargo = pathlib.Path(os.environ.get("CARGO_HOME", pathlib.Path.home() / ".cargo"))
    names = {ROOT: "/usr/src/pyroclast", TARGET: "/usr/src/target"}
    names |= {folder: "/usr/src/registry" for folder in sorted(cargo.glob("registry/src/*"))}
    return [f"--remap-path-prefix={folder}={name}" for folder, name in names.items()]


def zig():
    """The folder of zig's programs, installed from PyPI into a virtual environment."""
    folder = OUT / "tools"
    mark = folder / "-".join(TOOLS).replace("==", "-")
    if not mark.exists():
        venv.create(folder, with_pip=True)
        run([folder / "bin" / "pip", "install", "--quiet", "--only-binary", ":all:", *TOOLS])
        mark.touch()
    return folder / "bin"


def build(for_this_system):
    """Compiles the driver and the command."""
    environment = dict(os.environ, CARGO_ENCODED_RUSTFLAGS="\x1f".join(flags()))
    # What a developer's shell may hold would change the bytes.
    for name in ["RUSTFLAGS", "RUSTC_BOOTSTRAP", "CARGO_PROFILE_RELEASE_INCREMENTAL", "CARGO_INCREMENTAL"]:
        environment.pop(name, None)
    for name in [name for name in environment if "FEATURE_UNIFICATION" in name]:
        environment.pop(name)
    if for_this_system:
        command, target, folder = ["cargo", "build"], [], TARGET / "dist"
    else:
        tools = zig()
        environment["PATH"] = f"{tools}:{environment['PATH']}"
        environment["PYROCLAST_OLDEST_GLIBC"] = GLIBC
        command, target = ["cargo", "zigbuild"], ["--target", f"{TRIPLE}.{GLIBC}"]
        folder = TARGET / TRIPLE / "dist"
    packages = ["-p", "pyro-icd", "-p", "pyroclast-cli"]
    command += ["--locked", "--profile", "dist", *target, *packages]
    environment["CARGO_TARGET_DIR"] = str(TARGET)
    if subprocess.run(command, cwd=ROOT, env=environment).returncode:
        sys.exit("the build failed")
    return split(folder)


def split(folder):
    """Copies the two files without debug information, and that into files beside."""
    place = OUT / "driver"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    made = []
    for name in ["libpyroclast_icd.so", "pyroclast"]:
        file, debug = place / name, place / f"{name}.debug"
        run(["objcopy", "--only-keep-debug", "--compress-debug-sections=zlib", folder / name, debug])
        # Without a build id the file names its debug information by name and checksum.
        run(["objcopy", "--strip-all", f"--add-gnu-debuglink={debug}", folder / name, file])
        file.chmod(0o755)
        made.append(file)
    for path in made:
        print(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}", flush=True)
    return last()


def last():
    """What was built last."""
    place = OUT / "driver"
    names = ["libpyroclast_icd.so", "pyroclast"]
    if not all((place / name).exists() for name in names):
        sys.exit(f"{place} holds no driver: build without --reuse")
    library, command = (place / name for name in names)
    return Driver(library, command, [place / f"{name}.debug" for name in names])
