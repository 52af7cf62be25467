"""The tree that all packages hold, as it lies below /usr.

    bin/pyroclast
    include/pyroclast.h
    include/pyroclast_tools.h
    lib/pyroclast/libpyroclast_icd.so
    share/vulkan/icd.d/pyroclast_icd.json     names the library by a path relative to itself
    share/man/man1, share/bash-completion, share/zsh, share/fish
    share/doc/pyroclast                       licences, those of dependencies, bill of materials, changelog
"""

import json
import shutil

from . import materials
from .common import OUT, ROOT, run

LIBRARY = "lib/pyroclast/libpyroclast_icd.so"
MANIFEST = "share/vulkan/icd.d/pyroclast_icd.json"
COMPLETIONS = {
    "bash": "share/bash-completion/completions/pyroclast",
    "zsh": "share/zsh/site-functions/_pyroclast",
    "fish": "share/fish/vendor_completions.d/pyroclast.fish",
}


def manifest(library):
    """A manifest's text for a library at this path."""
    icd = {"library_path": library, "api_version": "1.4.0", "library_arch": "64"}
    return json.dumps({"file_format_version": "1.0.1", "ICD": icd}, indent=2) + "\n"


def put(folder, name, source=None, text=None):
    """A file of the tree, copied or with this text."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if source:
        shutil.copy(source, path)
    else:
        path.write_text(text)
    path.chmod(0o755 if name.startswith(("bin/", "lib/")) else 0o644)


def stage(driver):
    """Writes the tree; gives its folder."""
    folder = OUT / "tree"
    shutil.rmtree(folder, ignore_errors=True)
    put(folder, "bin/pyroclast", driver.command)
    put(folder, LIBRARY, driver.library)
    put(folder, MANIFEST, text=manifest(f"../../../{LIBRARY}"))
    for header in ["pyroclast.h", "pyroclast_tools.h"]:
        put(folder, f"include/{header}", ROOT / f"crates/pyroclast/include/{header}")
    command = folder / "bin/pyroclast"
    for shell, name in COMPLETIONS.items():
        put(folder, name, text=run([command, "completions", shell]))
    run([command, "man", folder / "share/man/man1"])
    documents = "share/doc/pyroclast"
    for name in ["LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md", "SECURITY.md"]:
        put(folder, f"{documents}/{name}", ROOT / name)
    put(folder, f"{documents}/licences-of-dependencies.txt", text=materials.licences())
    put(folder, f"{documents}/pyroclast.cdx.json", text=materials.bill())
    return folder
