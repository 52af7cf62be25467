"""An X server without a screen, pictures of what it shows, and how programs say that they cannot run."""

import contextlib
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import time
import zlib

# What run.py takes as `skip`.
SKIP = 77


def need(*programs):
    """Ends the process as skipped unless these are installed."""
    for program in programs:
        if not shutil.which(program):
            print(f"{program} is not installed")
            sys.exit(SKIP)


@contextlib.contextmanager
def server(size="640x480x24"):
    """Starts Xvfb on a display of its own choice and sets DISPLAY."""
    need("Xvfb", "xwd")
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", size, "-nolisten", "tcp"]
    child = subprocess.Popen(command, pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write)
    number = os.read(read, 16).decode().strip()
    if not number:
        child.wait()
        print("Xvfb does not start")
        sys.exit(SKIP)
    os.environ["DISPLAY"] = f":{number}"
    try:
        yield
    finally:
        child.terminate()
        child.wait()


def screenshot():
    """Width, height, and a function of x and y that gives red, green and blue."""
    dump = subprocess.run(["xwd", "-root", "-silent"], stdout=subprocess.PIPE, check=True).stdout
    head = struct.unpack(">25I", dump[:100])
    header, width, height, line, colors = head[0], head[4], head[5], head[12], head[19]
    assert line == width * 4, f"{line} bytes for {width} pixels"
    start = header + colors * 12

    def pixel(x, y):
        at = start + y * line + x * 4
        blue, green, red = dump[at : at + 3]
        return red, green, blue

    return width, height, pixel


def colors_of(picture, step=4):
    """The distinct colours of a picture, of every few pixels."""
    width, height, pixel = picture
    return {pixel(x, y) for y in range(0, height, step) for x in range(0, width, step)}


def difference(one, other, step=4):
    """How many of every few pixels differ."""
    width, height, _ = one
    places = [(x, y) for y in range(0, height, step) for x in range(0, width, step)]
    return sum(one[2](x, y) != other[2](x, y) for x, y in places)


def watch(command, seconds, picture=screenshot, **options):
    """Runs a program with a window for a while; two pictures of the screen, and what it printed."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    pictures = []
    for _ in range(2):
        time.sleep(seconds / 2)
        if child.poll() is not None:
            sys.exit(f"{command[0]} ended early, status {child.returncode}:\n{child.stdout.read()}")
        pictures.append(picture())
    child.terminate()
    text, _ = child.communicate(timeout=20)
    return pictures, text


def decode_png(data):
    """A PNG of eight bits a channel, RGB or RGBA."""
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        chunk = data[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", chunk[:10])
            assert depth == 8 and color in (2, 6)
        if kind == b"IDAT":
            packed += chunk
        at += length + 12
    size, raw = (3 if color == 2 else 4), zlib.decompress(packed)
    line, rows = width * size, [bytearray(width * size)]
    for y in range(height):
        start = y * (line + 1)
        row, above, kind = bytearray(raw[start + 1 : start + 1 + line]), rows[-1], raw[start]
        for i in range(line):
            left = row[i - size] if i >= size else 0
            if kind == 1:
                guess = left
            elif kind == 2:
                guess = above[i]
            elif kind == 3:
                guess = (left + above[i]) // 2
            elif kind == 4:
                corner = above[i - size] if i >= size else 0
                sides = (left, above[i], corner)
                guess = min(sides, key=lambda side: abs(left + above[i] - corner - side))
            else:
                break
            row[i] = (row[i] + guess) & 255
        rows.append(row)
    return width, height, lambda x, y: tuple(rows[y + 1][x * size : x * size + 3])


def scratch():
    """A folder for the program's files."""
    return pathlib.Path(os.environ.get("XDG_RUNTIME_DIR", "/tmp"))
