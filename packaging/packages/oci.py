"""pyroclast-VERSION-oci.tar: an OCI image of one layer, the tree below /usr.

It stands on no other image: `COPY --from=pyroclast / /` puts the driver into any image with glibc 2.28 or later, and its
configuration says what the loader needs. `podman load`, `skopeo copy oci-archive:` and `docker load` (25 and later) read it.
"""

import gzip
import hashlib
import json
import shutil
import tarfile
from datetime import datetime, timezone

from .archive import add, write_tar
from .common import LICENSE, NAME, OUT, SUMMARY, epoch, files_of, version


def blob(folder, data, media_type):
    """Writes a blob by its digest; gives its descriptor."""
    digest = hashlib.sha256(data).hexdigest()
    place = folder / "blobs/sha256"
    place.mkdir(parents=True, exist_ok=True)
    (place / digest).write_bytes(data)
    return {"mediaType": f"application/vnd.oci.image.{media_type}", "digest": f"sha256:{digest}", "size": len(data)}


def build(folder):
    """The image of the tree, as an archive of an OCI layout (image specification 1.0)."""
    root = OUT / "oci"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    plain = OUT / "layer.tar"
    write_tar(folder, plain, "usr/")
    data = plain.read_bytes()
    plain.unlink()
    layer = blob(root, gzip.compress(data, 9, mtime=0), "layer.v1.tar+gzip")
    created = datetime.fromtimestamp(epoch(), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    labels = {"org.opencontainers.image.title": NAME, "org.opencontainers.image.version": version()}
    labels |= {"org.opencontainers.image.description": SUMMARY, "org.opencontainers.image.licenses": LICENSE}
    config = {
        "created": created,
        "architecture": "amd64",
        "os": "linux",
        "config": {
            "Env": ["PATH=/usr/local/bin:/usr/bin:/bin", "PYROCLAST_CONFORMANCE_VERSION=1.3.0.0"],
            "Entrypoint": ["/usr/bin/pyroclast"],
            "Labels": labels,
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(data).hexdigest()}"]},
    }
    config = blob(root, json.dumps(config).encode(), "config.v1+json")
    manifest = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json"}
    manifest |= {"config": config, "layers": [layer]}
    manifest = blob(root, json.dumps(manifest).encode(), "manifest.v1+json")
    manifest["annotations"] = {"org.opencontainers.image.ref.name": version()}
    (root / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [manifest]}))
    (root / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
    package = OUT / f"{NAME}-{version()}-oci.tar"
    with tarfile.open(package, "w", format=tarfile.PAX_FORMAT) as archive:
        for path in files_of(root):
            add(archive, str(path.relative_to(root)), path)
    return [package]
