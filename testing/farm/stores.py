#!/usr/bin/env python3
"""Runs a job on object stores that speak the protocols of S3, Azure and Google Cloud, on this machine.

    cargo build --release -p pyro-farm --features cloud --target-dir target/cloud
    testing/farm/stores.py --program target/cloud/release/pyroclast-farm [s3] [azure] [gcs]

S3 is moto (PyPI `moto[server]`, of this Python), Azure is Azurite (npm `azurite`; --azurite names azurite-blob where it
is not in PATH), Google Cloud is a server of this file with the part of the XML API that the farm uses. On each: four
workers of which one is killed give what one worker gives in a folder, a damaged record is refused by name, and artifacts
of compiled code go there and back. One line for each: `pass`, `FAIL` with the reason, or `skip` with what is missing.
"""

import argparse
import base64
import email.utils
import hashlib
import hmac
import http.server
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import xml.sax.saxutils

from run import Absent, Wrong, compare, expect, farm, make_job

# The account that Azure's documentation gives for its emulator.
AZURE_ACCOUNT = "devstoreaccount1"
AZURE_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until_open(port, process):
    for _ in range(600):
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        if process.poll() is not None:
            raise Wrong(f"the store ended with exit code {process.returncode}")
        time.sleep(0.1)
    raise Wrong("the store does not answer")


def ask(method, address, body=None, headers=None):
    """An HTTP request; the status."""
    request = urllib.request.Request(address, data=body, method=method, headers=headers or {})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


class S3:
    """moto's server."""

    url = "s3://farm/results"

    def __init__(self, folder, _options):
        try:
            import boto3
            import moto.server  # noqa: F401
        except ImportError as error:
            raise Absent(f"the Python package moto[server]: {error}") from error
        port = free_port()
        log = open(folder / "s3.log", "wb")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)], stdout=log, stderr=log
        )
        wait_until_open(port, self.process)
        self.at = f"http://127.0.0.1:{port}"
        self.client = boto3.client(
            "s3", endpoint_url=self.at, region_name="us-east-1", aws_access_key_id="farm", aws_secret_access_key="secret"
        )
        self.client.create_bucket(Bucket="farm")
        self.variables = {
            "AWS_ENDPOINT": self.at, "AWS_ALLOW_HTTP": "true", "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "farm", "AWS_SECRET_ACCESS_KEY": "secret",
        }

    def overwrite(self, name, body):
        answer = self.client.put_object(Bucket="farm", Key=f"results/{name}", Body=body)
        return answer["ResponseMetadata"]["HTTPStatusCode"]

    def close(self):
        self.process.terminate()
        self.process.wait()


class Azure:
    """Azurite."""

    url = "az://farm/results"

    def __init__(self, folder, options):
        program = options.azurite or shutil.which("azurite-blob")
        if not program:
            raise Absent("the npm package azurite")
        port = free_port()
        log = open(folder / "azure.log", "wb")
        self.process = subprocess.Popen(
            [program, "--inMemoryPersistence", "--disableTelemetry", "--skipApiVersionCheck", "--blobHost", "127.0.0.1",
             "--blobPort", str(port)], stdout=log, stderr=log,
        )
        wait_until_open(port, self.process)
        self.at = f"http://127.0.0.1:{port}"
        self.variables = {
            "AZURE_STORAGE_USE_EMULATOR": "true", "AZURITE_BLOB_STORAGE_URL": self.at,
            "AZURE_STORAGE_ACCOUNT_NAME": AZURE_ACCOUNT, "AZURE_STORAGE_ACCOUNT_KEY": AZURE_KEY,
        }
        status = self.put("farm", b"", {}, {"restype": "container"})
        if status != 201:
            raise Wrong(f"the container cannot be made: HTTP {status}")

    def put(self, path, body, headers, query):
        """A request signed with the account's key."""
        headers = {
            **headers, "x-ms-date": email.utils.formatdate(usegmt=True), "x-ms-version": "2021-08-06",
        }
        own = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
        asked = "".join(f"\n{name}:{query[name]}" for name in sorted(query))
        length = str(len(body)) if body else ""
        kind = "application/octet-stream"
        text = f"PUT\n\n\n{length}\n\n{kind}\n\n\n\n\n\n\n{own}/{AZURE_ACCOUNT}/{AZURE_ACCOUNT}/{path}{asked}"
        code = hmac.new(base64.b64decode(AZURE_KEY), text.encode(), hashlib.sha256).digest()
        headers["Authorization"] = f"SharedKey {AZURE_ACCOUNT}:{base64.b64encode(code).decode()}"
        headers["Content-Type"] = kind
        words = urllib.parse.urlencode(query)
        return ask("PUT", f"{self.at}/{AZURE_ACCOUNT}/{path}" + (f"?{words}" if words else ""), body, headers)

    def overwrite(self, name, body):
        return self.put(f"farm/results/{name}", body, {"x-ms-blob-type": "BlockBlob"}, {})

    def close(self):
        self.process.terminate()
        self.process.wait()


class Bucket(http.server.BaseHTTPRequestHandler):
    """A bucket of Google Cloud's XML API: objects with generations, lists, and writes on a condition."""

    protocol_version = "HTTP/1.1"
    objects = {}
    lock = threading.Lock()
    generations = iter(range(1, 1 << 62))

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", headers=None):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def key(self):
        return urllib.parse.unquote(urllib.parse.urlsplit(self.path).path.removeprefix("/farm/"))

    def do_PUT(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        condition = self.headers.get("x-goog-if-generation-match")
        with self.lock:
            known = self.objects.get(self.key())
            if condition is not None and int(condition) != (known[1] if known else 0):
                return self.answer(412)
            generation = next(self.generations)
            self.objects[self.key()] = (body, generation)
        self.answer(200, headers={"ETag": f'"{generation}"', "x-goog-generation": str(generation)})

    def do_GET(self):
        parts = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(parts.query))
        if "list-type" in query:
            return self.list(query.get("prefix", ""))
        with self.lock:
            known = self.objects.get(self.key())
        if known is None:
            return self.answer(404)
        self.answer(200, known[0], {
            "ETag": f'"{known[1]}"', "x-goog-generation": str(known[1]),
            "Last-Modified": email.utils.formatdate(usegmt=True),
        })

    do_HEAD = do_GET

    def do_DELETE(self):
        with self.lock:
            known = self.objects.pop(self.key(), None)
        self.answer(204 if known else 404)

    def list(self, prefix):
        with self.lock:
            found = sorted((name, len(body), number) for name, (body, number) in self.objects.items())
        entries = "".join(
            f"<Contents><Key>{xml.sax.saxutils.escape(name)}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>"
            f"<ETag>\"{number}\"</ETag><Size>{size}</Size></Contents>"
            for name, size, number in found if name.startswith(prefix)
        )
        body = f"<?xml version='1.0'?><ListBucketResult><IsTruncated>false</IsTruncated>{entries}</ListBucketResult>"
        self.answer(200, body.encode(), {"Content-Type": "application/xml"})


class Google:
    """The server above."""

    url = "gs://farm/results"

    def __init__(self, folder, _options):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Bucket)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        at = f"http://127.0.0.1:{self.server.server_port}"
        account = {"gcs_base_url": at, "disable_oauth": True, "client_email": "", "private_key": "", "private_key_id": ""}
        (folder / "account.json").write_text(json.dumps(account))
        self.variables = {"GOOGLE_SERVICE_ACCOUNT": str(folder / "account.json"), "GOOGLE_ALLOW_HTTP": "true"}

    def overwrite(self, name, body):
        with Bucket.lock:
            Bucket.objects[f"results/{name}"] = (body, next(Bucket.generations))
        return 200

    def close(self):
        self.server.shutdown()


def wait_for_units(folder, log, count):
    """Until the run has told of so many units."""
    for _ in range(1200):
        if (folder / log).exists() and (folder / log).read_text().count('"unit"') >= count:
            return
        time.sleep(0.1)
    raise Wrong(f"no {count} units within 2 minutes")


def check(kind, name, program, folder, options):
    store = kind(folder, options)
    try:
        variables, url = store.variables, store.url
        out = ["--out", url]
        log = f"{name}.jsonl"
        with open(folder / log, "wb") as lines:
            run = subprocess.Popen(
                [program, "run", "job.toml", *out, "--workers", "4", "--into", name, "--json"], cwd=folder, stdout=lines,
                stderr=open(folder / "farm.log", "ab"), env={**os.environ, **variables},
            )
        wait_for_units(folder, log, 8)
        children = pathlib.Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()
        os.kill(int(children[0]), signal.SIGKILL)
        expect(run, {1}, folder)
        compare(folder, name)
        if "was killed; it is started again" not in (folder / "farm.log").read_text(errors="replace"):
            raise Wrong("no worker was killed")
        # Nothing is run again; and a record that somebody overwrites is refused by its unit's name.
        again = subprocess.run(
            [program, "shard", "0/1", "job.toml", *out], cwd=folder, env={**os.environ, **variables}, text=True,
            capture_output=True, check=False,
        )
        if " 0 of " not in again.stdout:
            raise Wrong(f"a second shard does not find the records: {again.stdout}{again.stderr}")
        plan = json.loads(subprocess.run(
            [program, "plan", "job.toml", "--json"], cwd=folder, capture_output=True, check=True
        ).stdout)
        status = store.overwrite(f"jobs/engines/{plan['digest']}/records/u0000003", b"forged")
        if status not in (200, 201):
            raise Wrong(f"the record cannot be overwritten: HTTP {status}")
        refused = subprocess.run(
            [program, "merge", "job.toml", *out], cwd=folder, env={**os.environ, **variables}, text=True,
            capture_output=True, check=False,
        )
        if refused.returncode != 2 or "unit u0000003" not in refused.stderr:
            raise Wrong(f"a forged record is not refused: {refused.stderr}")
        # Compiled code goes there and back.
        code = folder / f"code-{name}" / ("0" * 32)
        code.mkdir(parents=True)
        (code / ("a" * 32)).write_bytes(b"sealed")
        expect(farm(program, folder, "cache", "push", str(code.parent), *out, variables=variables), {0}, folder)
        back = folder / f"back-{name}"
        expect(farm(program, folder, "cache", "pull", str(back), *out, variables=variables), {0}, folder)
        if (back / code.name / ("a" * 32)).read_bytes() != b"sealed":
            raise Wrong("an artifact does not come back")
    finally:
        store.close()
    return f"4 workers, one killed, equal one in a folder ({url})"


STORES = {"s3": S3, "azure": Azure, "gcs": Google}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stores", nargs="*", help=f"{', '.join(STORES)}; all if none is named")
    parser.add_argument("--program", required=True, type=pathlib.Path, help="pyroclast-farm with the feature cloud")
    parser.add_argument("--azurite", help="azurite-blob")
    parser.add_argument("--no-skip", action="store_true", help="what cannot run here is a failure")
    options = parser.parse_args()
    program = str(options.program.resolve())
    folder = pathlib.Path(tempfile.mkdtemp(prefix="pyroclast-farm-stores-"))
    make_job(folder)
    expect(farm(program, folder, "shard", "0/1", "job.toml", "--out", "out-reference"), {0}, folder)
    expect(farm(program, folder, "merge", "job.toml", "--out", "out-reference", "--into", "reference"), {1}, folder)
    status = 0
    for name in options.stores or STORES:
        start = time.monotonic()
        try:
            print(f"pass {name}: {check(STORES[name], name, program, folder, options)}, "
                  f"{time.monotonic() - start:.0f} s", flush=True)
        except Absent as error:
            print(f"skip {name}: it needs {error}", flush=True)
            status = status or int(options.no_skip)
        except (Wrong, subprocess.SubprocessError, OSError) as error:
            print(f"FAIL {name}: {error} (in {folder})", flush=True)
            status = 1
    if status == 0:
        shutil.rmtree(folder)
    return status


if __name__ == "__main__":
    sys.exit(main())
