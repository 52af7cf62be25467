"""What all formats share: places, version, times, and running programs."""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
OUT = TARGET / "packages"
NAME = "pyroclast"
SUMMARY = "Vulkan driver that runs on the CPU"
DESCRIPTION = """\
A Vulkan driver that needs no GPU, and the tools around it. Programs load it
through the ordinary Vulkan loader and render or compute on the processor.
"""
LICENSE = "MIT OR Apache-2.0"


def version():
    """The workspace's version."""
    text = (ROOT / "Cargo.toml").read_text()
    return re.search(r'^\[workspace\.package\]\nversion = "(.*)"$', text, re.MULTILINE)[1]


def epoch():
    """The time of everything in packages: SOURCE_DATE_EPOCH, else the commit's, in seconds."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(given)
    log = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    # An export of the sources has no commit.
    return int(log.stdout) if log.returncode == 0 else 946_684_800


def run(command, **options):
    """Runs a program; its output is shown only when it fails, and ends everything then."""
    command = [str(part) for part in command]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        sys.exit(f"{done.stdout}\n{' '.join(command)}: exit status {done.returncode}")
    return done.stdout


def files_of(folder):
    """All files and links below a folder, in order."""
    return sorted(path for path in folder.rglob("*") if not path.is_dir() or path.is_symlink())


def is_program(path):
    """Whether a file is to be executable."""
    return bool(path.stat().st_mode & 0o100)


def size_of(path):
    """A file's size for people."""
    return f"{path.stat().st_size / 1e6:.2f} MB"
