#!/usr/bin/env python3
"""Measures the dispatches and render passes of other people's programs on several drivers, and compares.

    cargo build --release -p pyro-icd
    testing/corpus/run.py
    testing/corpus/run.py --only ggml --modules /tmp/modules --json

The programs are those of testing/foreign, which installs what they need from registries; nothing of them is
kept. Each runs on each driver in turn with the layer of this folder (src/lib.rs), which takes the time of
every dispatch and render pass. Work of the same pipelines and sizes is compared: the least time of
Pyroclast's to that of the fastest other driver. Where programs make other modules for other drivers, work of
the same stages and sizes is, in the order in which it first comes. Dispatches are made several times in a row, so that compiling
at the first use does not count; a program whose results are wrong then runs again without.

Exit status: 0 when something was compared, 1 when nothing was.
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "foreign"))
import run as foreign  # noqa: E402

LAYER = "VK_LAYER_PYROCLAST_corpus"
# Programs that have layers of their own, make a process without this environment, or draw nothing.
WITHOUT = ["vulkaninfo", "gfxreconstruct", "renderdoc", "chromium", "devtools"]
OTHERS = {"lavapipe": foreign.REFERENCES[:2], "SwiftShader": foreign.REFERENCES[2:]}


def layer(folder):
    """The environment that has the layer on."""
    subprocess.run(["cargo", "build", "--release", "--quiet", "-p", "pyro-corpus"], cwd=ROOT, check=True)
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    manifest = {
        "file_format_version": "1.2.0",
        "layer": {
            "name": LAYER,
            "type": "GLOBAL",
            "library_path": str(target / "release" / "libpyro_corpus.so"),
            "api_version": "1.4.0",
            "implementation_version": "1",
            "description": "times of dispatches and render passes",
        },
    }
    (folder / "layer.json").write_text(json.dumps(manifest))
    # The second name is for loaders before 1.3.233.
    return {"VK_INSTANCE_LAYERS": LAYER, "VK_ADD_LAYER_PATH": str(folder), "VK_LAYER_PATH": str(folder)}


def measured(program, command, place, manifest, environment, scratch, repeat):
    """What the layer wrote of one run, and what was wrong."""
    with tempfile.TemporaryDirectory() as output:
        variables = dict(environment, CORPUS_LAYER_OUTPUT=output, CORPUS_LAYER_REPEAT=str(repeat))
        trouble = foreign.run_once(program, command, place, manifest, scratch, variables)
        files = sorted(pathlib.Path(output).glob("*.json"))
        return [json.loads(file.read_text()) for file in files], trouble


def times_of(reports):
    """The least time in nanoseconds by work, in the order in which it came, and what is known of pipelines.

    Render passes are not repeated, so those that a program makes once have compiling in their times: they are
    left out.
    """
    times, pipelines = {}, {}
    for report in reports:
        pipelines.update(report["pipelines"])
        for row in sorted(report["work"], key=lambda row: row["order"]):
            if row["draws"] and row["count"] < 3:
                continue
            key = (row["pipelines"], tuple(row["size"]), row["draws"])
            times[key] = min(row["least"], times.get(key, row["least"]))
    return times, pipelines


def matched(mine, theirs, known):
    """Times of another driver by the work of one's own."""
    found = {key: theirs[key] for key in mine if key in theirs}

    def rest(times):
        groups = collections.defaultdict(list)
        for key in times:
            if key not in mine or key not in theirs:
                groups[known.get(key[0], {}).get("stages"), *key[1:]].append(key)
        return groups

    others = rest(theirs)
    for group, keys in rest(mine).items():
        # As many on both sides, so that none is another's.
        if len(others[group]) == len(keys):
            found.update((key, theirs[other]) for key, other in zip(keys, others[group]))
    return found


def quantile(ratios, share):
    ratios = sorted(ratios)
    return ratios[min(int(share * len(ratios)), len(ratios) - 1)]


def summary(rows):
    """The distribution of ratios."""
    ratios = [row["ratio"] for row in rows]
    return {
        "work": len(rows),
        "pipelines": len({row["pipelines"] for row in rows}),
        "median": quantile(ratios, 0.5),
        "fifth percentile": quantile(ratios, 0.05),
        "below 1": sum(ratio < 1 for ratio in ratios),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--icd", default=ROOT / "target/release/libpyroclast_icd.so", help="Pyroclast's library or manifest")
    parser.add_argument("--other", action="append", help="NAME=PATH: a further driver to compare with, as library or manifest")
    parser.add_argument("--only", action="append", help="only programs whose name contains this")
    parser.add_argument("--repeat", type=int, default=3, help="how often each dispatch is made")
    parser.add_argument("--least", type=float, default=5, help="microseconds: shorter work is not compared")
    parser.add_argument("--worst", type=int, default=10, help="how many of the worst are shown")
    parser.add_argument("--modules", type=pathlib.Path, help="write SPIR-V modules into this folder")
    parser.add_argument("--json", action="store_true", help="print all rows as JSON")
    arguments = parser.parse_args()
    others = {name: next((path for path in paths if os.path.exists(path)), None) for name, paths in OTHERS.items()}
    others = {name: path for name, path in others.items() if path}
    others.update(other.split("=", 1) for other in arguments.other or [])
    if not others:
        sys.exit("there is no other driver (mesa-vulkan-drivers, chromium-common)")
    drivers = {"Pyroclast": arguments.icd, **others}
    if arguments.modules:
        arguments.modules.mkdir(parents=True, exist_ok=True)
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        environment = layer(scratch)
        packages = ROOT / "target" / "foreign"
        packages.mkdir(parents=True, exist_ok=True)
        for program in foreign.PROGRAMS:
            wanted = not arguments.only or any(text in program.name for text in arguments.only)
            if not wanted or any(program.name.startswith(text) for text in WITHOUT) or program.variables:
                continue
            try:
                command, place = foreign.command_of(program, packages)
            except foreign.Absent as absent:
                print(f"skip {program.name}: {absent}", file=sys.stderr)
                continue
            found, known, troubles = {}, {}, {}
            for name, path in drivers.items():
                own = dict(environment)
                if name == "Pyroclast" and arguments.modules:
                    own["CORPUS_LAYER_MODULES"] = str(arguments.modules)
                folder = scratch / f"{program.name}-{name}"
                folder.mkdir()
                extra = [str(folder)] if program.pictures else []
                manifest = foreign.manifest_of(path, folder)
                for repeat in dict.fromkeys([arguments.repeat, 1]):
                    try:
                        reports, trouble = measured(
                            program, [*command, *extra], place, manifest, own, scratch, repeat
                        )
                    except foreign.Absent as absent:
                        reports, trouble = [], str(absent)
                    times, pipelines = times_of(reports)
                    known.update(pipelines)
                    for key, time in times.items():
                        kept = found.setdefault(name, {})
                        # Where it was made once only, compiling may have counted.
                        if key not in kept or repeat == arguments.repeat:
                            kept[key] = min(time, kept.get(key, time))
                    if not trouble:
                        break
                if trouble:
                    troubles[name] = trouble.splitlines()[-1][:100]
            mine = found.get("Pyroclast", {})
            before = len(rows)
            by_driver = {name: matched(mine, found.get(name, {}), known) for name in others}
            for key, time in mine.items():
                theirs = {name: times[key] for name, times in by_driver.items() if key in times}
                if not theirs or max(time, *theirs.values()) < 1000 * arguments.least:
                    continue
                best = min(theirs, key=theirs.get)
                about = known.get(key[0], {})
                rows.append(
                    {
                        "program": program.name,
                        "pipelines": key[0],
                        "stages": about.get("stages", "several pipelines"),
                        "modules": about.get("modules", []),
                        "size": list(key[1]),
                        "draws": key[2],
                        "microseconds": time / 1000,
                        "best": best,
                        "best microseconds": theirs[best] / 1000,
                        "ratio": theirs[best] / max(time, 1),
                    }
                )
            note = "".join(f"; {name}: {trouble}" for name, trouble in troubles.items())
            print(f"{program.name}: {len(rows) - before} compared{note}", file=sys.stderr, flush=True)
    kinds = {"dispatches": [row for row in rows if not row["draws"]], "render passes": [row for row in rows if row["draws"]]}
    summaries = {kind: summary(of_kind) for kind, of_kind in kinds.items() if of_kind}
    if arguments.json:
        print(json.dumps({"summary": summaries, "work": sorted(rows, key=lambda row: row["ratio"])}, indent=1))
    else:
        show(kinds, summaries, arguments.worst)
    sys.exit(0 if rows else 1)


def show(kinds, summaries, worst):
    for kind, numbers in summaries.items():
        print(f"\n{kind}: " + ", ".join(f"{name} {value:.4g}" for name, value in numbers.items()))
        by_program = collections.defaultdict(list)
        for row in kinds[kind]:
            by_program[row["program"]].append(row["ratio"])
        for program, ratios in sorted(by_program.items(), key=lambda one: quantile(one[1], 0.5)):
            print(
                f"  {program:24} {len(ratios):5} median {quantile(ratios, 0.5):7.2f}"
                f"  fifth percentile {quantile(ratios, 0.05):7.2f}  least {min(ratios):7.2f}"
            )
        print("  worst:")
        for row in sorted(kinds[kind], key=lambda row: row["ratio"])[:worst]:
            size = "x".join(map(str, row["size"]))
            print(
                f"  {row['ratio']:6.2f}  {row['microseconds']:10.1f} us, {row['best']} {row['best microseconds']:10.1f} us"
                f"  {row['program']} {size} {row['stages'][:60]} {' '.join(row['modules'])}"
            )


if __name__ == "__main__":
    main()
