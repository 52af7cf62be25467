"""What the commands for other systems share (`testing/arm`, `testing/riscv64`, `testing/loongarch64`,
`testing/windows`, `testing/macos`): packages of a compiler, unpacked and not installed, a standard library
compiled where no package has it, and what is built and run for Linux on other processors."""

import os
import pathlib
import shutil
import subprocess
import sys
import venv

sys.dont_write_bytecode = True

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Debian's compiler with the source of the standard library.
WITH_SOURCE = ["rustc-web", "rust-web-src", "libstd-rust-web-dev", "libstd-rust-web-1.96", "libllvm22"]

# zig from PyPI: a C compiler for processors that the system has none for, with musl and the library that
# unwinds.
ZIG = "ziglang==0.15.2"

# Cheap to build, with the dev profile's checks: that one optimizes what runs in the compiler, too.
PROFILE = {
    "CARGO_PROFILE_RELEASE_OPT_LEVEL": "1",
    "CARGO_PROFILE_RELEASE_DEBUG": "false",
    "CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS": "true",
    "CARGO_INCREMENTAL": "1",
}

# How many cases of each kind a sample runs through the driver: the digests of x86-64 are stored.
DIGESTS = 3

# Packages whose tests run where shaders run in the interpreter.
INTERPRETED = [("pyro-util", []), ("pyro-interp", []), ("pyro-irgen", []), ("pyro-codemem", [])]


# What the machine's own compiler may be run by, which does not fit the other one.
WRAPPERS = ["RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET"]


def environment(variables):
    """The environment of cargo for another system: the profile may be set outside."""
    own = {name: value for name, value in os.environ.items() if name not in WRAPPERS}
    return PROFILE | own | variables


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
    """Unpacks packages of a compiler, downloaded to a folder meanwhile, and writes scripts that run its programs."""
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
    for program in ["rustdoc", "rustc"]:
        wrapper = toolchain / program
        wrapper.write_text(f'#!/bin/sh\n{here}\n{libraries} exec "$here/usr/bin/{program}" "$@"\n')
        wrapper.chmod(0o755)


def programs(rustc):
    """cargo's environment for a compiler of `unpack`. The tests of documentation are compiled by rustdoc."""
    return {"RUSTC": str(rustc), "RUSTDOC": str(rustc.with_name("rustdoc"))}


def with_source():
    """The compiler of `WITH_SOURCE`, unpacked once for all targets that need the source."""
    toolchain = ROOT / "target/cross/toolchain"
    if not (toolchain / "rustc").exists():
        unpack(WITH_SOURCE, toolchain, ROOT / "target/cross/packages")
    return toolchain


def standard_library(toolchain, triple, folder, variables=None, *, only_check=False):
    """Compiles it with an empty crate, once, and puts it where the compiler of `WITH_SOURCE` looks for it.
    `only_check` makes what type-checks need: metadata, for which no linker is called."""
    library = toolchain / "usr/lib/rustlib" / triple / "lib"
    if library.exists():
        return
    crate = folder / "std"
    (crate / "src").mkdir(parents=True, exist_ok=True)
    (crate / "src/lib.rs").write_text("#![no_std]\n" if only_check else "")
    (crate / "Cargo.toml").write_text('[package]\nname = "empty"\nedition = "2024"\n\n[workspace]\n')
    rustc = programs(toolchain / "rustc") | {"RUSTC_BOOTSTRAP": "1", "CARGO_PROFILE_RELEASE_OPT_LEVEL": "2"}
    rustc |= {"CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS": "false"}
    crates = "-Zbuild-std=std,panic_unwind,test"
    command = "check" if only_check else "build"
    arguments = ["cargo", command, "--release", crates, "--target", triple, "--target-dir", crate / "target"]
    run(*arguments, cwd=crate, env=environment(rustc | (variables or {})))
    built = library.with_name("new")
    built.mkdir(parents=True, exist_ok=True)
    for path in (crate / "target" / triple / "release/deps").glob("*.rmeta" if only_check else "*.rlib"):
        if not path.name.startswith("libempty"):
            shutil.copy(path, built)
    built.rename(library)
    shutil.rmtree(crate)


def zig(target, processor):
    """A linker for a target of zig: a script, written beside the programs of zig, which PyPI has."""
    folder = ROOT / "target/cross/zig"
    python = folder / "bin/python"
    if not (folder / ZIG).exists():
        venv.create(folder, with_pip=True)
        run(python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", ZIG)
        (folder / ZIG).touch()
    script = folder / f"link-{target}"
    script.write_text(LINK.format(python=python, target=target, processor=processor))
    script.chmod(0o755)
    return script


# rustc names libgcc's libraries of unwinding; zig has LLVM's.
LINK = """#!{python}
import os, sys
names = {{"-lgcc_eh": "-lunwind", "-lgcc_s": "-lunwind", "-lgcc": ""}}
arguments = [names.get(name, name) for name in sys.argv[1:]]
zig = [sys.executable, "-m", "ziglang", "cc", "-target", "{target}", "-mcpu={processor}"]
os.execv(sys.executable, [*zig, *filter(None, arguments)])
"""


class Linux:
    """Linux on another processor, whose programs run under qemu."""

    def __init__(self, *, name, triple, qemu, packages, files, libraries):
        # The folder below `target`, the triple of Rust, the program of qemu, and where its libraries are.
        self.name, self.triple, self.qemu, self.libraries = name, triple, qemu, libraries
        # Packages that are installed unless their program, or their file, is there.
        self.packages, self.files = packages, files
        self.folder = ROOT / "target" / name

    def install(self):
        """What links and runs, by apt."""
        missing = [package for program, package in self.packages.items() if not shutil.which(program)]
        missing += [package for path, package in self.files.items() if not pathlib.Path(path).exists()]
        install(missing)

    def is_ready(self):
        """Whether all that a build needs is there, so that none of it has to be fetched."""
        rustc = self.compiler_path()
        files = [*self.files, rustc, rustc.parent / "usr/lib/rustlib" / self.triple / "lib"]
        return all(map(shutil.which, self.packages)) and all(pathlib.Path(path).exists() for path in files)

    def compiler_path(self):
        return ROOT / "target/cross/toolchain/rustc"

    def compiler(self):
        """The compiler with a standard library for the target, made once."""
        standard_library(with_source(), self.triple, self.folder, self.variables())
        return self.compiler_path()

    def linker(self):
        # Debian's triple for RISC-V does not name the extensions.
        return self.triple.replace("-unknown", "").replace("riscv64gc", "riscv64") + "-gcc"

    def variable(self):
        """The target in names of variables."""
        return self.triple.upper().replace("-", "_")

    def variables(self):
        """What cargo's environment says of the target."""
        name = f"CARGO_TARGET_{self.variable()}"
        return {f"{name}_LINKER": str(self.linker()), f"{name}_RUNNER": " ".join(self.emulator())}

    def emulator(self):
        return [self.qemu, *(("-L", str(self.libraries)) if self.libraries else ())]

    def cargo(self, command, *arguments):
        """cargo for the target. What comes behind `--` is for the program that it runs."""
        target = ["--release", "--target", self.triple, "--target-dir", str(self.folder)]
        variables = self.variables() | programs(self.compiler())
        run("cargo", command, *target, *arguments, cwd=ROOT, env=environment(variables))

    def program(self, name):
        """What was built."""
        return self.folder / self.triple / "release" / name

    def sample(self):
        """Text tests, the command line, and digests of x86-64 again: the whole driver in some minutes."""
        self.cargo("test", "-p", "pyro-filetests")
        self.cargo("build", "-p", "pyro-digests", "-p", "pyroclast-cli", "-p", "pyro-icd", "--bins", "--lib")
        command = [*self.emulator(), self.program("pyroclast")]
        run(*command, "info")
        picture = self.folder / "demo.png"
        run(*command, "demo", "--width", "64", "--height", "36", "--frames", "1", "--output", picture)
        run(*self.emulator(), self.program("pyro-digests"), "check", "--count", str(DIGESTS))

    def main(self, documentation, tests):
        """The command's arguments."""
        command, *rest = sys.argv[1:] or ["all"]
        if command == "ready":
            sys.exit(0 if self.is_ready() else 1)
        if command == "qemu":
            os.execvp(self.qemu, [*self.emulator(), *rest])
        if command not in ("all", "cargo", "check", "sample"):
            sys.exit(documentation)
        self.install()
        if command == "cargo":
            return self.cargo(*rest)
        if command == "check":
            return self.cargo("check", "--workspace")
        self.sample()
        for package, arguments in tests if command == "all" else []:
            self.cargo("test", "-p", package, *arguments)
