"""What the packages are made of: a CycloneDX bill of materials, and the licences of dependencies.

Both come from `cargo metadata`: the packages that are compiled into the library and the command.
"""

import functools
import json
import pathlib
import uuid

from .common import ROOT, epoch, run, version
from datetime import datetime, timezone

PACKAGES = ["pyro-icd", "pyroclast-cli"]
PLATFORM = "x86_64-unknown-linux-gnu"
# Files that hold a licence's text.
LICENCE_FILES = ["licen[cs]e*", "LICEN[CS]E*", "COPYING*", "NOTICE*", "UNLICENSE*"]


@functools.cache
def dependencies():
    """cargo's packages from registries that are linked into ours, by name; what builds need alone is left out."""
    command = ["cargo", "metadata", "--format-version=1", "--locked", f"--filter-platform={PLATFORM}"]
    # Progress goes to standard error, which `run` mixes in.
    text = run([*command, "--quiet"], cwd=ROOT)
    data = json.loads(text[text.index("{") :])
    packages = {package["id"]: package for package in data["packages"]}
    nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
    open_ids = [id for id, package in packages.items() if package["name"] in PACKAGES]
    seen = set()
    while open_ids:
        id = open_ids.pop()
        if id in seen:
            continue
        seen.add(id)
        for dependency in nodes[id]["deps"]:
            # `None` is the kind of normal dependencies; procedural macros run in the compiler alone.
            is_normal = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            kinds = [kind for target in packages[dependency["pkg"]]["targets"] for kind in target["kind"]]
            if is_normal and "proc-macro" not in kinds:
                open_ids.append(dependency["pkg"])
    found = [packages[id] for id in seen if packages[id]["source"]]
    return sorted(found, key=lambda package: (package["name"], package["version"]))


def licences():
    """Each dependency's name, version, licence, and the texts that it comes with."""
    parts = [f"The packages that pyroclast {version()} is linked with, and their licences.\n"]
    for package in dependencies():
        folder = pathlib.Path(package["manifest_path"]).parent
        head = f"{package['name']} {package['version']}: {package['license'] or 'see the text'}"
        parts.append(f"\n{'=' * 78}\n{head}\n{package['repository'] or ''}\n")
        files = sorted({path for pattern in LICENCE_FILES for path in folder.glob(pattern) if path.is_file()})
        parts += [f"\n--- {path.name}\n{path.read_text(errors='replace').rstrip()}\n" for path in files]
    return "".join(parts)


def component(package):
    """A package as CycloneDX describes it."""
    purl = f"pkg:cargo/{package['name']}@{package['version']}"
    found = {"type": "library", "bom-ref": purl, "name": package["name"], "version": package["version"], "purl": purl}
    if package["license"]:
        # Old manifests separate alternatives by a slash.
        expression = package["license"].replace("/", " OR ")
        found["licenses"] = [{"expression": expression}]
    return found


def bill():
    """The bill of materials in CycloneDX 1.5."""
    own = {"type": "application", "bom-ref": "pyroclast", "name": "pyroclast", "version": version()}
    components = [component(package) for package in dependencies()]
    time = datetime.fromtimestamp(epoch(), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    # The same contents have the same serial number.
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([own, components]))
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{serial}",
        "version": 1,
        "metadata": {"timestamp": time, "component": own},
        "components": components,
        "dependencies": [{"ref": "pyroclast", "dependsOn": [part["bom-ref"] for part in components]}],
    }
    return json.dumps(document, indent=1) + "\n"
