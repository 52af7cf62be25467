"""`pyroclast exec -- PROGRAM ARGUMENTS`, `pyroclast manifest`, `pyroclast info`."""

import argparse
import os
import sys

from . import Device, __version__
from .loader import MANIFEST, environment


def main():
    """The command of the wheel: a small part of the whole command line, which other packages hold."""
    parser = argparse.ArgumentParser(prog="pyroclast", description="A Vulkan driver that runs on the CPU.")
    parser.add_argument("--version", action="version", version=f"pyroclast {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    execute = commands.add_parser(
        "exec",
        help="run a program on this device alone",
        description="Runs a program on this device alone. Unless it is set, PYROCLAST_CONFORMANCE_VERSION=1.3.0.0 is set for "
        "the program, since wgpu hides devices that report no version; no version is certified.",
    )
    execute.add_argument("program", nargs=argparse.REMAINDER)
    commands.add_parser("manifest", help="print the path of the manifest for the Vulkan loader")
    commands.add_parser("info", help="print the device's name and version")
    options = parser.parse_args()
    if options.command == "manifest":
        print(MANIFEST)
    elif options.command == "info":
        with Device() as device:
            print(f"{device.name}, Vulkan {'.'.join(map(str, device.api_version))}")
    else:
        program = options.program[1:] if options.program[:1] == ["--"] else options.program
        if not program:
            parser.error("no program given")
        try:
            os.execvpe(program[0], program, dict(os.environ, **environment()))
        except OSError as error:
            print(f"pyroclast: cannot run {program[0]}: {error.strerror}", file=sys.stderr)
            return 125
    return 0


if __name__ == "__main__":
    sys.exit(main())
