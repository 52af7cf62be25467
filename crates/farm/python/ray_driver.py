"""Runs the shards of a farm's job as tasks of a Ray cluster.

Reads one line of JSON from standard input: the cluster's address, the number of shards, and the command line of a
worker. Prints one line of JSON for each shard that ended or was lost. Records go from the workers to the store; no
result passes through here.
"""

import json
import sys


def say(**line):
    print(json.dumps(line), flush=True)


def run_shard(command, shard):
    """The task: one worker. Through its own `exec-child` it ends when the task's process is killed."""
    import os
    import socket
    import subprocess

    leading = [command["program"], *command["before"][:-1]]
    worker = [command["program"], *command["before"], f"{shard}/{command['shards']}", *command["after"]]
    done = subprocess.run(
        [*leading, "exec-child", str(os.getpid()), *worker],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    message = done.stderr.decode(errors="replace").strip()[-1000:]
    return {"shard": shard, "code": done.returncode, "node": socket.gethostname(), "message": message}


def main():
    request = json.loads(sys.stdin.readline())
    try:
        import ray
    except ImportError as error:
        say(event="failed", message=f"the Python package ray is not installed for {sys.executable}: {error}")
        return 1
    try:
        ray.init(address=request["address"] or None, log_to_driver=False, configure_logging=False)
    except Exception as error:  # whatever Ray raises when the cluster does not answer
        say(event="failed", message=f"cannot connect to the cluster {request['address']!r}: {error}")
        return 1
    # Ray retries tasks whose process or node is lost; what it gives up comes back as an error.
    task = ray.remote(num_cpus=request["cpus"], max_retries=request["retries"])(run_shard)
    command = ray.put(request)
    left = {shard: request["retries"] for shard in range(request["shards"])}
    pending = {task.remote(command, shard): shard for shard in left}
    status = 0
    while pending:
        ready, _ = ray.wait(list(pending), num_returns=1)
        shard = pending.pop(ready[0])
        try:
            result = ray.get(ready[0])
        except ray.exceptions.RayError as error:
            message = str(error).strip().splitlines()[0][:300]
            if left[shard] == 0:
                say(event="failed", message=f"shard {shard} was lost too often: {message}")
                status = 1
                continue
            left[shard] -= 1
            say(event="lost", shard=shard, message=message)
            pending[task.remote(command, shard)] = shard
            continue
        say(event="shard", **result)
        status = status or (1 if result["code"] else 0)
    ray.shutdown()
    return status


if __name__ == "__main__":
    sys.exit(main())
