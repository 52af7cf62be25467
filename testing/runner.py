#!/usr/bin/env python3
"""Builds all tests with one cargo command, and runs the test binaries side by side.

Problem: `cargo test` runs one binary after another, and every `cargo test -p` or `cargo run -p` selects other
features of the dependencies than `--workspace` does, so that it compiles the driver again. Approach: one `cargo
build` of the workspace, whose messages name every binary; what runs on other backends or through the
loader runs those binaries. The output of a binary is printed when it ends, with libtest's `test result:` line and the
`skipped:` lines of `pyro_test_environment`, so that totals can be counted from the text.

`--quick` builds the dev profile and leaves out what takes long: the tests of SLOW, and most of the random inputs.
`--times` runs one test at a time and lists the slowest, to keep SLOW true.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

Binary = collections.namedtuple("Binary", "package target kind path folder")

# Test binaries that also run on other backends: package, target, backend, tests that are left out there.
# The compiler verifies its steps there, which takes no time of note. The interpreter runs what is about the API; tests
# of so many invocations that they take minutes there are left out.
BACKENDS = [
    ("pyro-engine", None, "avx2", []),
    ("pyro-fixed", None, "avx2", []),
    ("pyro-icd", "api", "avx2", []),
    ("pyro-icd", "graphics", "avx2", []),
    ("pyro-icd", "api", "interpreter", "INTERPRETER_SLOW"),
    ("pyro-icd", "graphics", "interpreter", "INTERPRETER_SLOW"),
]
INTERPRETER_SLOW = [
    # Ratios of times, which are those of optimized code.
    "pyro-shapes it growth",
]

# What `--quick` leaves out: starts of "package target test", of tests that take more than two seconds alone
# (`--times`) and that no variable of QUICK makes shorter.
SLOW = [
    "pyro-icd api cooperative_flexible::products_of_flexible_sizes",
    "pyro-icd api cooperative_vector::products_of_all_listed_types",
    "pyro-icd api cooperative_vector::products_of_large_matrices",
    "pyro-icd isolated process_exit::a_copy_made_while_another_thread_looks_up_handles_destroys_objects",
]
# What `--quick` sets: a tenth of the defaults or less (see `pyro_test_environment::VARIABLES`).
QUICK = {
    "PYRO_CALLS": "2000",
    "PYRO_FRAMES": "60",
    "PYRO_INPUTS": "60",
    "PYRO_MUTATIONS": "200",
    "PYRO_RANDOM_PROGRAMS": "40",
    "PYRO_ROUNDS": "50",
    "PYRO_SHADERS": "10",
    "PYRO_SUBMITS": "5000",
}


def build(profile):
    """Compiles everything; gives the test binaries, the programs by name, and the driver's library."""
    # All targets by their kinds: `--all-targets` also makes test programs of those that have no tests.
    command = ["cargo", "build", "--workspace", "--lib", "--bins", "--tests", "--examples"]
    command += ["--message-format=json-render-diagnostics", "--profile", profile]
    start = time.monotonic()
    cargo = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if cargo.returncode:
        sys.exit(cargo.returncode)
    print(f"built in {time.monotonic() - start:.0f} s", flush=True)
    tests, programs, library = [], {}, None
    for line in cargo.stdout.splitlines():
        message = json.loads(line)
        if message["reason"] != "compiler-artifact":
            continue
        target, folder = message["target"], pathlib.Path(message["manifest_path"]).parent
        if message["executable"] and message["profile"]["test"]:
            package = folder_package(message["package_id"])
            tests.append(Binary(package, target["name"], target["kind"][0], message["executable"], folder))
        elif message["executable"] and target["kind"] == ["bin"]:
            programs[target["name"]] = message["executable"]
        elif target["name"] == "pyroclast_icd" and not message["profile"]["test"]:
            library = next((name for name in message["filenames"] if name.endswith(".so")), library)
    return tests, programs, library


def strip(program, target):
    """Copies a program without its symbols."""
    subprocess.run(["strip", "-o", target, program], check=True)


def archive(folder, name, target):
    """Packs what is in a folder under a name."""
    subprocess.run(["tar", "-C", folder, "--sort=name", "-I", "xz -9 -T1", "-cf", target, name], check=True)


def folder_package(package_id):
    """The name in `path+file:///home/me/pyroclast/crates/icd#pyro-icd@0.1.0`; without a name there, that of the folder."""
    path, _, version = package_id.partition("#")
    name, separator, _ = version.partition("@")
    return name if separator else path.rsplit("/", 1)[1]


def run(binary, arguments, environment):
    """One binary, to its end: its exit status, output and seconds."""
    start = time.monotonic()
    done = subprocess.run(
        [binary.path, *arguments],
        cwd=binary.folder,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    return done.returncode, done.stdout, time.monotonic() - start


def without(binary, patterns):
    """libtest's arguments that leave out tests of this binary: those that `package target test` patterns name."""
    start = f"{binary.package} {binary.target} "
    return [part for name in patterns if name.startswith(start) for part in ("--skip", name[len(start):])]


def has_avx512():
    flags = re.search(r"^flags\s*:(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return bool(flags) and {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"} <= set(flags[1].split())


def jobs_of(tests, quick):
    """What runs: (label, binary, arguments, environment), by the seconds that each took the last time."""
    chosen = []
    for binary in tests:
        left_out = without(binary, SLOW) if quick else []
        chosen.append((f"{binary.package} {binary.target} ({binary.kind})", binary, left_out, QUICK if quick else {}))
    if quick:
        return chosen
    for package, target, backend, slow in BACKENDS:
        if backend == "avx2" and not has_avx512():
            print(f"{package} on avx2: it is what this processor runs anyway")
            continue
        for binary in tests:
            if binary.package == package and (target is None or (binary.kind, binary.target) == ("test", target)):
                left_out = without(binary, INTERPRETER_SLOW) if slow else []
                label = f"{binary.package} {binary.target} ({binary.kind}) on {backend}"
                chosen.append((label, binary, left_out, {"PYROCLAST_CPU": backend, "PYROCLAST_VERIFY": "1"}))
    return chosen


def list_times(tests):
    """Prints the seconds of each test that takes longer than half a second: one at a time, each binary once."""
    arguments = ["--test-threads=1", "-Zunstable-options", "--report-time"]
    line = re.compile(r"^test (\S+) .*?(ok|FAILED) <([\d.]+)s>$", re.MULTILINE)
    found = []
    for binary in tests:
        # libtest reports times where unstable options are allowed.
        status, output, seconds = run(binary, arguments, {"RUSTC_BOOTSTRAP": "1"})
        print(f"{seconds:7.1f} {binary.package} {binary.target}{' FAILED' * bool(status)}", flush=True)
        label = f"{binary.package} {binary.target}"
        found += [(float(took), f"{label} {name}", state) for name, state, took in line.findall(output)]
    for seconds, label, state in sorted(found, reverse=True):
        if seconds > 0.5 or state == "FAILED":
            print(f"{seconds:7.1f} {label}{' FAILED' * (state == 'FAILED')}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--profile", help="cargo's profile (release, with --quick dev)")
    parser.add_argument("--jobs", type=int, default=2, help="binaries at a time, each with a thread for each core")
    parser.add_argument("--programs", type=pathlib.Path, help="writes the paths of programs and library there")
    options = parser.parse_args()
    tests, programs, library = build(options.profile or ("dev" if options.quick else "release"))
    if options.programs:
        lines = [f"{name.replace('-', '_')}={path}\n" for name, path in programs.items()]
        options.programs.write_text("".join(lines) + f"library={library}\n")
    if options.times:
        return list_times(tests)
    record = ROOT / "target/test-seconds.json"
    seconds = json.loads(record.read_text()) if record.exists() else {}
    # The longest first, and those of unknown length before them.
    jobs = sorted(jobs_of(tests, options.quick), key=lambda job: -seconds.get(job[0], 1e9))
    failed, start = [], time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = {pool.submit(run, *job[1:]): job[0] for job in jobs}
        for done in concurrent.futures.as_completed(running):
            label = running[done]
            status, output, seconds[label] = done.result()
            if status:
                failed.append(label)
            print(f"\n     Running {label}: {seconds[label]:.1f} s\n{output}", end="", flush=True)
    record.parent.mkdir(exist_ok=True)
    record.write_text(json.dumps(seconds, indent=1, sort_keys=True))
    print(f"\n{len(jobs)} test binaries in {time.monotonic() - start:.0f} s; the longest:")
    for label in sorted(running.values(), key=lambda label: -seconds[label])[:8]:
        print(f"{seconds[label]:7.1f} s  {label}")
    for label in failed:
        print(f"FAILED: {label}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
