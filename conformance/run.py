#!/usr/bin/env python3
"""Runs the Khronos conformance tests (VK-GL-CTS, the program deqp-vk) on the driver.

    conformance/run.py sample --deqp BUILD/deqp-vk --icd libpyroclast_icd.so --seconds 600 --out results
    conformance/run.py submission --deqp BUILD/deqp-vk --icd libpyroclast_icd.so --source VK-GL-CTS --out logs
    conformance/run.py summary results
    conformance/run.py package --source VK-GL-CTS --adopter NAME --product TEXT --out logs

`sample` runs cases at random, on all processors, as far as the time goes; a case that crashes or hangs costs only
itself. It goes on where an earlier run into the same folder ended. `submission` runs the main list in fractions, with
the options that a submission allows, and keeps the logs whole. `summary` counts both, and names what neither passed
nor is waived (waivers.toml). `package` makes the archive that is submitted.

Exit status: 0 nothing failed that is not waived, 1 something did, 2 the command could not do its work.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import fnmatch
import json
import os
import pathlib
import platform
import random
import re
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent

# Status codes with which a submission passes (VK-GL-CTS, "Conformance Criteria").
ALLOWED = {"Pass", "NotSupported", "QualityWarning", "CompatibilityWarning", "Waiver"}
# What a submission allows, and what keeps its logs small.
LOG_OPTIONS = ["--deqp-log-images=disable", "--deqp-log-shader-sources=disable", "--deqp-shadercache=disable"]
FRACTIONS_MAX = 16
# Groups that a driver without a window system or video queues has nothing to run of.
SAMPLE_EXCLUDES = ("dEQP-VK.video.", "dEQP-VK.wsi.", "dEQP-VK.protected_memory.")
# Cases that follow each other share a group, which the program makes anew for each process.
RUN_LENGTH = 8

STARTED = re.compile(r"^Test case '([^']+)'")
ENDED = re.compile(r"^  ([A-Z][A-Za-z]+) \((.*)\)$")
QPA_CASE = re.compile(r"^#beginTestCaseResult (\S+)")
QPA_STATUS = re.compile(r'<Result StatusCode="([A-Za-z]+)">(.*?)(</Result>|$)')
QPA_BROKEN = re.compile(r"^#terminateTestCaseResult (.*)")


class Failure(Exception):
    """The command cannot do its work; the text says why."""


@dataclasses.dataclass
class Result:
    """The verdict of one case, what the program said of it, and the seconds that it took."""

    verdict: str
    message: str
    seconds: float


def environment(icd, folder):
    """The variables that make the loader use one driver: a manifest, or a library that gets one in `folder`."""
    if not icd.exists():
        raise Failure(f"{icd}: no such driver")
    manifest = icd.resolve()
    if icd.suffix != ".json":
        manifest = folder.resolve() / "driver.json"
        driver = {"library_path": str(icd.resolve()), "api_version": "1.4.0"}
        manifest.write_text(json.dumps({"file_format_version": "1.0.1", "ICD": driver}))
    return {**os.environ, "VK_DRIVER_FILES": str(manifest), "VK_ICD_FILENAMES": str(manifest)}


def run_cases(deqp, cases, variables, case_seconds, deadline):
    """Runs `cases` in one process; gives results until it ended, was ended, or a case took too long."""
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        listing = pathlib.Path(folder) / "cases.txt"
        listing.write_text("\n".join(cases) + "\n")
        command = [deqp, f"--deqp-caselist-file={listing}", f"--deqp-log-filename={folder}/log.qpa", *LOG_OPTIONS]
        process = subprocess.Popen(
            command,
            cwd=pathlib.Path(deqp).parent,
            env=variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        state = {"since": time.monotonic(), "ended": None}

        def guard():
            while process.poll() is None:
                now = time.monotonic()
                if now > deadline:
                    state["ended"] = "deadline"
                elif now - state["since"] > case_seconds:
                    state["ended"] = "Timeout"
                if state["ended"]:
                    process.kill()
                    return
                time.sleep(0.2)

        watcher = threading.Thread(target=guard, daemon=True)
        watcher.start()
        current, said = None, collections.deque(maxlen=8)
        for line in process.stdout:
            started, ended = STARTED.match(line), ENDED.match(line.rstrip("\n"))
            if started:
                current, state["since"] = started[1], time.monotonic()
            elif ended and current:
                results[current] = Result(ended[1], ended[2], time.monotonic() - state["since"])
                current = None
            elif line.strip():
                said.append(line.strip())
        status = process.wait()
        watcher.join()
        if state["ended"] != "deadline":
            text = f"exit status {status}: " + " | ".join(said)
            if current:
                results[current] = Result(state["ended"] or "Crash", text, time.monotonic() - state["since"])
            elif not any(case in results for case in cases):
                # The process ended before its first case: without a verdict it would be run for ever.
                results[cases[0]] = Result("Missing", text, 0.0)
    return results


def list_cases(deqp):
    """All cases of the program, in its order."""
    with tempfile.TemporaryDirectory() as folder:
        command = [deqp, "--deqp-runmode=txt-caselist", f"--deqp-caselist-export-file={folder}/${{packageName}}.txt"]
        subprocess.run(command, cwd=pathlib.Path(deqp).parent, check=True, stdout=subprocess.DEVNULL)
        text = (pathlib.Path(folder) / "dEQP-VK.txt").read_text()
    return [line[len("TEST: "):] for line in text.splitlines() if line.startswith("TEST: ")]


def read_results(folder):
    """Results of `sample` in a folder, by case."""
    path = folder / "results.tsv"
    results = {}
    for line in path.read_text(errors="replace").splitlines() if path.exists() else []:
        fields = line.split("\t")
        # The last line of a run that was ended may be short.
        if len(fields) == 4:
            results[fields[0]] = Result(fields[1], fields[3], float(fields[2]))
    return results


def read_log(path):
    """Results in one of dEQP's logs, by case."""
    results, case = {}, None
    with open(path, errors="replace") as log:
        for line in log:
            began, status, broken = QPA_CASE.match(line), QPA_STATUS.search(line), QPA_BROKEN.match(line)
            if began:
                case = began[1]
            elif status and case:
                results[case] = Result(status[1], status[2], 0.0)
            elif broken and case:
                results[case] = Result(broken[1].strip() or "Crash", "the log was ended in this case", 0.0)
            elif line.startswith("#endTestCaseResult"):
                case = None
    if case and case not in results:
        results[case] = Result("Crash", "the log ends in this case", 0.0)
    return results


def sample(options):
    options.out.mkdir(parents=True, exist_ok=True)
    variables = environment(options.icd, options.out)
    known = options.cases.read_text().split() if options.cases else list_cases(options.deqp)
    done = read_results(options.out)
    wanted = re.compile(options.filter)
    cases = [c for c in known if wanted.search(c) and not c.startswith(SAMPLE_EXCLUDES) and c not in done]
    if not cases:
        raise Failure("no case is left to run")
    runs = [cases[i : i + RUN_LENGTH] for i in range(0, len(cases), RUN_LENGTH)]
    random.Random(options.seed).shuffle(runs)
    batches = [sum(runs[i : i + options.batch], []) for i in range(0, len(runs), options.batch)]
    deadline = time.monotonic() + options.seconds
    lock, counts = threading.Lock(), collections.Counter()

    def work(batch):
        while batch and time.monotonic() < deadline:
            results = run_cases(options.deqp, batch, variables, options.case_seconds, deadline)
            with lock, open(options.out / "results.tsv", "a") as file:
                for case, result in results.items():
                    message = result.message.replace("\t", " ").replace("\n", " ")[:300]
                    file.write(f"{case}\t{result.verdict}\t{result.seconds:.2f}\t{message}\n")
                    counts[result.verdict] += 1
                if sys.stderr.isatty():
                    left = max(0, deadline - time.monotonic())
                    print(f"\r{sum(counts.values())} of {len(cases)} cases, {left:.0f} s left ", end="", file=sys.stderr)
            batch = [case for case in batch if case not in results]

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for task in [pool.submit(work, batch) for batch in batches]:
            task.result()
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return summary(options)


def submission(options):
    if not 1 <= options.fractions <= FRACTIONS_MAX:
        raise Failure(f"a submission has 1 to {FRACTIONS_MAX} fractions, not {options.fractions}")
    options.out.mkdir(parents=True, exist_ok=True)
    variables = environment(options.icd, options.out)
    main = options.source.resolve() / "external/vulkancts/mustpass/main"
    for name in ["vk-default.txt", "vk-fraction-mandatory-tests.txt"]:
        if not (main / name).exists():
            raise Failure(f"{main / name}: not found; is {options.source} a checkout of VK-GL-CTS?")

    def work(index):
        log = (options.out / f"TestResults-{platform.machine()}-{index + 1}-of-{options.fractions}.qpa").resolve()
        command = [options.deqp, f"--deqp-caselist-file={main / 'vk-default.txt'}", f"--deqp-log-filename={log}"]
        command += [*LOG_OPTIONS, f"--deqp-fraction={index},{options.fractions}"]
        command += [f"--deqp-fraction-mandatory-caselist-file={main / 'vk-fraction-mandatory-tests.txt'}"]
        folder = pathlib.Path(options.deqp).parent
        return subprocess.run(command, cwd=folder, env=variables, stdout=subprocess.DEVNULL).returncode

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        statuses = list(pool.map(work, range(options.fractions)))
    for index, status in enumerate(statuses):
        if status < 0:
            print(f"fraction {index + 1} was ended by signal {-status}")
    return summary(options)


def waived(case, waivers):
    return any(fnmatch.fnmatchcase(case, test) for waiver in waivers for test in waiver["tests"])


def summary(options):
    results = read_results(options.out)
    for log in sorted(options.out.glob("*.qpa")):
        results |= read_log(log)
    if not results:
        raise Failure(f"{options.out}: no results.tsv and no *.qpa with results")
    waivers = tomllib.loads((HERE / "waivers.toml").read_text())["waiver"]
    groups, counts = collections.defaultdict(collections.Counter), collections.Counter()
    failed = {}
    for case, result in results.items():
        verdict = result.verdict
        if verdict not in ALLOWED and waived(case, waivers):
            verdict = "Waiver"
        if verdict not in ALLOWED:
            failed[case] = result
        counts[verdict] += 1
        groups[".".join(case.split(".")[:2])][verdict] += 1
    if options.json:
        failures = {case: dataclasses.asdict(result) for case, result in sorted(failed.items())}
        print(json.dumps({"counts": counts, "groups": groups, "failed": failures}, indent=1, sort_keys=True))
        return 1 if failed else 0
    verdicts = sorted(counts, key=lambda verdict: -counts[verdict])
    width = max(len(group) for group in groups)
    print(f"{'group':{width}} " + " ".join(f"{verdict:>14}" for verdict in verdicts))
    for group in [*sorted(groups), "all"]:
        row = counts if group == "all" else groups[group]
        print(f"{group:{width}} " + " ".join(f"{row[verdict]:>14}" for verdict in verdicts))
    for case, result in sorted(failed.items()):
        print(f"{result.verdict}: {case}: {result.message}")
    return 1 if failed else 0


def package(options):
    git = ["git", "-C", str(options.source)]
    tag = subprocess.run([*git, "describe", "--tags", "--match", "vulkan-cts-*"], capture_output=True, text=True)
    if tag.returncode:
        raise Failure(f"{options.source}: not a checkout of a release of VK-GL-CTS: {tag.stderr.strip()}")
    release = re.sub(r"-\d+-g[0-9a-f]+$", "", tag.stdout.strip())
    logs = sorted(options.out.glob("TestResults-*.qpa"))
    if not logs:
        raise Failure(f"{options.out}: no logs; run `submission` first")
    for name, arguments in [
        ("git-status.txt", ["status"]),
        ("git-log.txt", ["log", "--first-parent", f"{release}^..HEAD"]),
    ]:
        with open(options.out / name, "w") as file:
            subprocess.run([*git, *arguments], check=True, stdout=file)
    patches = ["format-patch", "--quiet", "-o", str(options.out.resolve()), f"{release}..HEAD"]
    subprocess.run([*git, *patches], check=True)
    system = f"{platform.system()} {platform.release()}"
    statement = {"CONFORM_VERSION": release, "PRODUCT": options.product, "CPU": processor(), "OS": system}
    text = "".join(f"{key + ':':<24} {value}\n" for key, value in statement.items())
    (options.out / f"STATEMENT-{options.adopter}").write_text(text)
    archive = options.out.with_name(f"VK14_{options.adopter}.tgz")
    with tarfile.open(archive, "w:gz") as file:
        for path in sorted(options.out.iterdir()):
            if path.name not in ("driver.json", "results.tsv"):
                file.add(path, path.name)
    print(archive)
    return 0


def processor():
    """The processor's name, as the system gives it."""
    info = pathlib.Path("/proc/cpuinfo")
    found = re.search(r"^model name\s*: (.*)$", info.read_text() if info.exists() else "", re.MULTILINE)
    return found[1] if found else platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    cpus = os.cpu_count() or 1
    for name in ["sample", "submission"]:
        command = commands.add_parser(name)
        command.add_argument("--deqp", required=True, type=lambda path: str(pathlib.Path(path).resolve()))
        command.add_argument("--icd", required=True, type=pathlib.Path, help="the driver's library or manifest")
        command.add_argument("--jobs", type=int, default=cpus, help="processes at a time")
        command.add_argument("--out", required=True, type=pathlib.Path, help="the folder of results")
        command.add_argument("--json", action="store_true")
    sampling = commands.choices["sample"]
    sampling.add_argument("--seconds", type=float, default=600)
    sampling.add_argument("--case-seconds", type=float, default=60, help="after which a case is ended")
    sampling.add_argument("--filter", default="", help="a regular expression that names of cases match")
    sampling.add_argument("--cases", type=pathlib.Path, help="a list of cases (default: all that the program has)")
    sampling.add_argument("--batch", type=int, default=40, help=f"runs of {RUN_LENGTH} cases a process")
    sampling.add_argument("--seed", type=int, default=1)
    commands.choices["submission"].add_argument("--source", required=True, type=pathlib.Path)
    commands.choices["submission"].add_argument("--fractions", type=int, default=min(cpus, FRACTIONS_MAX))
    summarizing = commands.add_parser("summary")
    summarizing.add_argument("out", type=pathlib.Path)
    summarizing.add_argument("--json", action="store_true")
    packaging = commands.add_parser("package")
    packaging.add_argument("--source", required=True, type=pathlib.Path)
    packaging.add_argument("--adopter", required=True)
    packaging.add_argument("--product", required=True)
    packaging.add_argument("--out", required=True, type=pathlib.Path)
    options = parser.parse_args()
    try:
        return {"sample": sample, "submission": submission, "summary": summary, "package": package}[options.command](options)
    except (Failure, OSError, subprocess.CalledProcessError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 0


if __name__ == "__main__":
    sys.exit(main())
