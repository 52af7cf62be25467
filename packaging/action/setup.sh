#!/usr/bin/env bash
# Unpacks the archive of packaging/build on a runner, and sets what the job's later steps need: setup.sh ARCHIVE
set -euo pipefail
archive=$(realpath "$1")
folder=$RUNNER_TEMP/pyroclast
mkdir -p "$folder"
tar --zstd --extract --strip-components=1 --file "$archive" --directory "$folder"
manifest=$folder/share/vulkan/icd.d/pyroclast_icd.json
{
  echo "VK_DRIVER_FILES=$manifest"
  echo "VK_ICD_FILENAMES=$manifest" # loaders before 1.3.207
  # wgpu hides devices that report no conformance version; none is certified.
  echo "PYROCLAST_CONFORMANCE_VERSION=${PYROCLAST_CONFORMANCE_VERSION:-1.3.0.0}"
} >> "$GITHUB_ENV"
echo "$folder/bin" >> "$GITHUB_PATH"
VK_DRIVER_FILES=$manifest VK_ICD_FILENAMES=$manifest "$folder/bin/pyroclast" doctor
