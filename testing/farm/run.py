#!/usr/bin/env python3
"""Runs a job on engines of others, real ones, and compares the merged results with those of one worker.

    testing/farm/run.py --program target/release/pyroclast-farm [ray] [slurm] [--workers 1,2,4,16]
        [--pyroclast target/release/pyroclast [--large]] [--job suite.toml]

The job is of scripts that do nothing; with --pyroclast also of frames and a dispatch that the driver runs, with --large
20,000 cases, 600 frames and 1,000,000,000 invocations. --job runs another job instead.

`ray` starts a cluster of three nodes on this machine (package `ray` of this Python), and kills one of them while the
run with the fewest workers above one is under way. `slurm` starts a controller and two nodes on the loopback
interface (Debian's slurmctld, slurmd, slurm-client and munge; as root), and kills a task. Without names, both. One
line for each: `pass`, `FAIL` with the reason, or `skip` with what is missing. The exit status is 1 when one failed,
with --no-skip also when one was skipped.
"""

import argparse
import filecmp
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

JOB = """
name = "engines"
timeout_seconds = 20

[[units]]
name = "cases"
kind = "cases"
program = "./cases.sh"
arguments = ["{list}"]
list = "cases.txt"
verdicts = "deqp"
batch = @batch@

[[units]]
name = "frames"
kind = "frames"
program = "./frame.sh"
arguments = ["{frame}", "{output}/{frame:04}.txt"]
count = 60
outputs = ["{frame:04}.txt"]
"""
# What the driver runs: frames that a shader paints, and slabs of a dispatch.
DRIVER_JOB = """
[[units]]
name = "film"
kind = "frames"
program = "./film.sh"
arguments = ["@pyroclast@", "{frame}", "{output}"]
inputs = ["film.wgsl"]
count = @frames@
outputs = ["film-{frame:04}.pam"]

[[units]]
name = "sums"
kind = "dispatch"
program = "@pyroclast@"
shader = "sums.wgsl"
groups = [125, 125, @depth@]
slab = 10
buffers = { "0.0" = "zero:15625000" }
outputs = [{ buffer = "0.0", bytes_per_group = 4 }]
"""
FILM_PROGRAM = """#!/bin/sh
"$1" run film.wgsl --groups 40,30 --buffer 0.0=zero:307200 --push "u32:$2" --save "0.0=$3/pixels" > /dev/null || exit 1
name=$(printf 'film-%04d.pam' "$2")
printf 'P7\\nWIDTH 320\\nHEIGHT 240\\nDEPTH 4\\nMAXVAL 255\\nTUPLTYPE RGB_ALPHA\\nENDHDR\\n' > "$3/$name"
cat "$3/pixels" >> "$3/$name"
"""
FILM_SHADER = """
struct Frame { number: u32 }
var<push_constant> frame: Frame;
@group(0) @binding(0) var<storage, read_write> pixels: array<u32>;
@compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let time = f32(frame.number) / 30.0;
    let place = vec2<f32>(id.xy) / vec2<f32>(320.0, 240.0);
    let wave = sin(place.x * 9.0 + time) * cos(place.y * 7.0 - time * 0.7);
    pixels[id.y * 320u + id.x] = pack4x8unorm(vec4<f32>(place, 0.5 + 0.5 * wave, 1.0));
}
"""
SUMS_SHADER = """
@group(0) @binding(0) var<storage, read_write> sums: array<u32>;
var<workgroup> total: atomic<u32>;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>,
        @builtin(local_invocation_index) local: u32) {
    let mixed = (id.x * 747796405u + id.y * 277803737u + id.z) ^ (id.x >> 3u);
    atomicAdd(&total, mixed);
    workgroupBarrier();
    if local == 0u { sums[(group.z * 125u + group.y) * 125u + group.x] = atomicLoad(&total); }
}
"""
CASES_PROGRAM = """#!/bin/sh
while read -r name; do
  echo "Test case '$name'.."
  @pause@
  case $name in
    *.17) kill -ABRT $$; sleep 9 ;;
    *3) echo "  Fail (ends with 3)" ;;
    *) echo "  Pass (ok)" ;;
  esac
done < "$1"
"""
FRAME_PROGRAM = """#!/bin/sh
sleep 0.1
seq "$1" > "$2"
"""


class Absent(Exception):
    """Something that an engine needs is missing here."""


class Wrong(Exception):
    """A test failed."""


def make_job(folder, pyroclast=None, is_large=False):
    """The job's file and programs; with the driver's program also what it runs."""
    cases, batch, pause, frames, depth = (20000, 200, ":", 600, 250) if is_large else (400, 10, "sleep 0.02", 30, 50)
    values = {"batch": batch, "pause": pause, "frames": frames, "depth": depth, "pyroclast": pyroclast}

    def fill(text):
        for name, value in values.items():
            text = text.replace(f"@{name}@", str(value))
        return text

    (folder / "job.toml").write_text(fill(JOB + (DRIVER_JOB if pyroclast else "")))
    (folder / "cases.txt").write_text("".join(f"group.{number}\n" for number in range(cases)))
    (folder / "film.wgsl").write_text(FILM_SHADER)
    (folder / "sums.wgsl").write_text(SUMS_SHADER)
    for name, text in (("cases.sh", CASES_PROGRAM), ("frame.sh", FRAME_PROGRAM), ("film.sh", FILM_PROGRAM)):
        (folder / name).write_text(fill(text))
        (folder / name).chmod(0o755)


def farm(program, folder, *arguments, variables=None):
    """The farm's command line; the process."""
    log = open(folder / "farm.log", "ab")
    environment = {**os.environ, **(variables or {})}
    return subprocess.Popen([program, *arguments], cwd=folder, stdout=log, stderr=log, env=environment)


def expect(process, codes, folder):
    """Waits for the end of a run; its exit code, which is one of these."""
    code = process.wait(timeout=900)
    if code not in codes:
        tail = (folder / "farm.log").read_text(errors="replace").strip().splitlines()[-8:]
        raise Wrong(f"exit code {code}: {' | '.join(tail)}")
    return code


def differences(one, other):
    """Files that differ or are in one folder only; times do differ."""
    compared = filecmp.dircmp(one, other, ignore=["times.json"])
    found = compared.left_only + compared.right_only + compared.funny_files
    found += filecmp.cmpfiles(one, other, compared.common_files, shallow=False)[1]
    for name in compared.common_dirs:
        found += differences(pathlib.Path(one) / name, pathlib.Path(other) / name)
    return found


def wait_for_records(folder, out, count, process):
    """Until so many units have records."""
    for _ in range(3000):
        found = len(list((folder / out).glob("jobs/*/*/records/*")))
        if found >= count or process.poll() is not None:
            return found
        time.sleep(0.1)
    raise Wrong(f"no {count} records within 5 minutes")


def compare(folder, name):
    wrong = differences(folder / "reference", folder / name)
    if wrong:
        raise Wrong(f"merged results differ from those of one worker: {wrong}")
    # A large job's files are many.
    shutil.rmtree(folder / name)
    shutil.rmtree(folder / f"out-{name}", ignore_errors=True)


def ray(program, job, code, folder, workers):
    loses = min((count for count in workers if count > 1), default=1)
    try:
        import ray as package
        from ray.cluster_utils import Cluster
    except ImportError as error:
        raise Absent(f"the Python package ray: {error}") from error
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        nodes = [cluster.add_node(num_cpus=2) for _ in range(2)]
        cluster.wait_for_nodes()
        for count in workers:
            run = farm(
                program, folder, "run", job, "--on", "ray", "--python", sys.executable, "--verbose", "--out",
                f"out-ray-{count}", "--into", f"ray-{count}", "--workers", str(count), "--ray-address",
                cluster.address, "--lease", "5",
            )
            if count == loses:
                done = wait_for_records(folder, f"out-ray-{count}", 8, run)
                cluster.remove_node(nodes[0], allow_graceful=False)
            expect(run, {code}, folder)
            compare(folder, f"ray-{count}")
    finally:
        cluster.shutdown()
    return f"{workers} shards on 3 nodes, one of them killed after {done} units (ray {package.__version__})"


SLURM = """
ClusterName=farm
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=0
SlurmdParameters=config_overrides
ReturnToService=2
MinJobAge=10
KillWait=2
NodeName=farm[1-2] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[{port1}-{port2}] CPUs=2 RealMemory=500 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def slurm(program, job, code, folder, workers):
    loses = min((count for count in workers if count > 1), default=1)
    needed = ["slurmctld", "slurmd", "sbatch", "squeue", "scancel", "munged"]
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    missing = [name for name in needed if not shutil.which(name, path=path)]
    if missing:
        raise Absent(f"{', '.join(missing)} (slurmctld slurmd slurm-client munge)")
    if os.geteuid() != 0:
        raise Absent("root, for slurmd")
    home = folder / "slurm-daemons"
    (home / "state").mkdir(parents=True)
    (home / "munge.key").write_bytes(os.urandom(128))
    (home / "munge.key").chmod(0o400)
    configuration = home / "slurm.conf"
    configuration.write_text(SLURM.format(folder=home, port=17817, port1=17821, port2=17822))
    variables = {"SLURM_CONF": str(configuration), "PATH": path}
    environment = {**os.environ, **variables}
    log = open(home / "daemons.log", "ab")

    def daemon(*line):
        return subprocess.Popen(line, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def ask(*line):
        return subprocess.run(line, env=environment, capture_output=True, text=True, check=False).stdout

    daemons = [
        daemon(
            "munged", "--foreground", "--force", f"--socket={home}/munge.socket", f"--key-file={home}/munge.key",
            f"--pid-file={home}/munge.pid", f"--log-file={home}/munge.log", f"--seed-file={home}/munge.seed",
        )
    ]
    try:
        time.sleep(1)
        daemons.append(daemon("slurmctld", "-D", "-c"))
        time.sleep(2)
        daemons += [daemon("slurmd", "-D", "-N", name) for name in ("farm1", "farm2")]
        for _ in range(60):
            if ask("sinfo", "--noheader", "--format=%T %D").split() == ["idle", "2"]:
                break
            time.sleep(0.5)
        else:
            raise Wrong(f"the nodes do not come up: {ask('sinfo')!r}, logs in {home}")
        for count in workers:
            run = farm(
                program, folder, "run", job, "--on", "slurm", "--verbose", "--out", f"out-slurm-{count}",
                "--into", f"slurm-{count}", "--workers", str(count), "--lease", "5", variables=variables,
            )
            if count == loses:
                done = wait_for_records(folder, f"out-slurm-{count}", 8, run)
                running = ask("squeue", "--noheader", "--array", "--states=RUNNING", "--format=%i %N").splitlines()
                nodes = {line.split()[1] for line in running}
                if count > 2 and len(nodes) != 2:
                    raise Wrong(f"tasks run on {nodes}, not on both nodes")
                ask("scancel", "--signal=KILL", "--full", running[0].split()[0])
            expect(run, {code}, folder)
            compare(folder, f"slurm-{count}")
        version = ask("sinfo", "--version").split()[1]
    finally:
        for process in reversed(daemons):
            process.send_signal(signal.SIGTERM)
        for process in daemons:
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
    if "submitted again as job array" not in (folder / "farm.log").read_text(errors="replace"):
        raise Wrong("the killed shard was not submitted again")
    return f"{workers} shards on 2 nodes, one killed after {done} units and submitted again (slurm {version})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("engines", nargs="*", choices=["ray", "slurm", []], help="ray, slurm; all if none is named")
    parser.add_argument("--program", required=True, type=pathlib.Path, help="pyroclast-farm")
    parser.add_argument("--workers", default="6", help="shards of each run, such as 1,2,4,16; 6 unless given")
    parser.add_argument("--pyroclast", type=pathlib.Path, help="the driver's program, for frames and a dispatch")
    parser.add_argument("--large", action="store_true", help="20,000 cases; of the driver 600 frames, 10^9 invocations")
    parser.add_argument("--job", type=pathlib.Path, help="another job file, all of whose programs are here")
    parser.add_argument("--scratch", type=pathlib.Path, help="a folder that is kept")
    parser.add_argument("--no-skip", action="store_true", help="what cannot run here is a failure")
    options = parser.parse_args()
    program = str(options.program.resolve())
    workers = [int(count) for count in options.workers.split(",")]
    status = 0
    folder = options.scratch or pathlib.Path(tempfile.mkdtemp(prefix="pyroclast-farm-engines-"))
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    make_job(folder, options.pyroclast and options.pyroclast.resolve(), options.large)
    job = str(options.job.resolve() if options.job else folder / "job.toml")
    expect(farm(program, folder, "shard", "0/1", job, "--out", "out-reference"), {0}, folder)
    merge = farm(program, folder, "merge", job, "--out", "out-reference", "--into", "reference")
    # Items of the job above fail; another's may all pass. All runs end as that of one worker does.
    code = expect(merge, {0, 1} if options.job else {1}, folder)
    for name, engine in (("ray", ray), ("slurm", slurm)):
        if options.engines and name not in options.engines:
            continue
        start = time.monotonic()
        try:
            print(f"pass {name}: {engine(program, job, code, folder, workers)}, {time.monotonic() - start:.0f} s", flush=True)
        except Absent as error:
            print(f"skip {name}: it needs {error}", flush=True)
            status = status or int(options.no_skip)
        except (Wrong, subprocess.TimeoutExpired, OSError) as error:
            print(f"FAIL {name}: {error} (in {folder})", flush=True)
            status = 1
    if not options.scratch and status == 0:
        shutil.rmtree(folder)
    return status


if __name__ == "__main__":
    sys.exit(main())
