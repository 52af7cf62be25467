"""pyroclast-VERSION-x86_64-linux.tar.zst: unpack it anywhere; the manifest finds the library beside it."""

import io
import tarfile

from .common import NAME, OUT, epoch, files_of, is_program, run, version


def add(archive, name, path):
    """A file with fixed owner and time."""
    info = tarfile.TarInfo(name)
    info.mtime, info.uname, info.gname = epoch(), "root", "root"
    info.mode = 0o755 if is_program(path) else 0o644
    data = path.read_bytes()
    info.size = len(data)
    archive.addfile(info, io.BytesIO(data))


def write_tar(folder, target, prefix):
    """The files of a folder as an uncompressed archive, the same for the same files."""
    with tarfile.open(target, "w", format=tarfile.PAX_FORMAT) as archive:
        for path in files_of(folder):
            add(archive, f"{prefix}{path.relative_to(folder)}", path)


def build(folder):
    """The archive of the tree."""
    stem = f"{NAME}-{version()}-x86_64-linux"
    plain = OUT / f"{stem}.tar"
    write_tar(folder, plain, f"{stem}/")
    packed = plain.with_suffix(".tar.zst")
    run(["zstd", "--quiet", "--force", "--ultra", "-22", "-T1", "--rm", plain, "-o", packed])
    return [packed]
