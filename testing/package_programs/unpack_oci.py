"""Unpacks the layers of an OCI image's archive into a folder, and checks every digest: unpack_oci.py IMAGE FOLDER."""

import gzip
import hashlib
import io
import json
import sys
import tarfile

image, folder = sys.argv[1:]
with tarfile.open(image) as archive:

    def read(name):
        return archive.extractfile(name).read()

    def blob(descriptor):
        kind, digest = descriptor["digest"].split(":")
        data = read(f"blobs/{kind}/{digest}")
        assert len(data) == descriptor["size"] and hashlib.sha256(data).hexdigest() == digest, descriptor
        return data

    assert json.loads(read("oci-layout"))["imageLayoutVersion"] == "1.0.0"
    manifest = json.loads(blob(json.loads(read("index.json"))["manifests"][0]))
    config = json.loads(blob(manifest["config"]))
    for layer, expected in zip(manifest["layers"], config["rootfs"]["diff_ids"], strict=True):
        data = gzip.decompress(blob(layer))
        assert f"sha256:{hashlib.sha256(data).hexdigest()}" == expected
        with tarfile.open(fileobj=io.BytesIO(data)) as files:
            files.extractall(folder)
