"use strict";
// Pyroclast, a Vulkan driver that runs on the CPU: variables and flags by which programs take it.

const fs = require("node:fs");
const path = require("node:path");

const CONFORMANCE_VERSION = "1.3.0.0"; // what wgpu takes as a conformant device
const SWIFTSHADER = { library: "libvk_swiftshader.so", manifest: "vk_swiftshader_icd.json" };
const BACKUP = ".before-pyroclast";

/** The folder of the package for this platform, which holds the library and its manifest. */
function platformFolder() {
  const name = `@pyroclast/${process.platform}-${process.arch}`;
  try {
    return path.dirname(require.resolve(`${name}/package.json`));
  } catch {
    throw new Error(`pyroclast has no package for this platform (${name}), or npm left out optional dependencies`);
  }
}

/** The driver's library. */
function library() {
  return path.join(platformFolder(), "libpyroclast_icd.so");
}

/** The manifest that names the library to the Vulkan loader. */
function manifest() {
  return path.join(platformFolder(), "pyroclast_icd.json");
}

/** The variables that make the Vulkan loader show this device: alone, or (`add`) before those that are installed. */
function environment({ add = false, conformance = true, base = process.env } = {}) {
  const file = manifest();
  const variables = {};
  if (add) {
    const others = (base.VK_ADD_DRIVER_FILES ?? "").split(":").filter((one) => one && one !== file);
    variables.VK_ADD_DRIVER_FILES = [file, ...others].join(":");
  } else {
    variables.VK_DRIVER_FILES = file;
    variables.VK_ICD_FILENAMES = file; // loaders before 1.3.207
  }
  if (conformance && !base.PYROCLAST_CONFORMANCE_VERSION) {
    variables.PYROCLAST_CONFORMANCE_VERSION = CONFORMANCE_VERSION;
  }
  return variables;
}

/** Sets these variables for this process and those that it starts; to be called before the first Vulkan call. */
function activate(options) {
  Object.assign(process.env, environment(options));
}

// WebGL by the loader's device.
const BY_LOADER = ["--use-gl=angle", "--use-angle=vulkan", "--ignore-gpu-blocklist"];
// WebGL, WebGPU, and pages drawn by Vulkan, without which a canvas of WebGPU cannot be shown.
const IN_PLACE = [
  ...["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
  ...["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"],
  ...["--use-vulkan=swiftshader", "--enable-features=Vulkan"],
];

/**
 * Launch options of Playwright and Puppeteer: Chromium draws WebGL by ANGLE on this device. `args` are added to the flags,
 * `env` to the environment. For WebGPU Chromium takes no processor but SwiftShader: put the driver into its place
 * (`installChromium`), and say that it is `installed`.
 */
function chromiumOptions({ args = [], env = process.env, installed = false } = {}) {
  const flags = installed ? IN_PLACE : BY_LOADER;
  const variables = installed ? {} : environment({ base: env });
  return { args: [...flags, ...args], env: { ...env, ...variables } };
}

/**
 * The library with `vkGetInstanceProcAddr` exported under its own name, by which Dawn looks for it. The driver itself has
 * another of the same hash there, since programs may be linked with the loader's library, too.
 */
function withOwnName(bytes) {
  const [from, to] = ["vkGetInstanceProcBCdr", "vkGetInstanceProcAddr"].map((name) => Buffer.from(name));
  for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, at)) to.copy(bytes, at);
  return bytes;
}

/** Puts the driver into the place of SwiftShader in the folder of Chromium or Electron; the old files are kept beside. */
function installChromium(folder) {
  const target = path.join(folder, SWIFTSHADER.library);
  if (!fs.existsSync(target)) throw new Error(`${folder} holds no ${SWIFTSHADER.library}`);
  for (const name of Object.values(SWIFTSHADER)) {
    const file = path.join(folder, name);
    if (fs.existsSync(file) && !fs.existsSync(file + BACKUP)) fs.renameSync(file, file + BACKUP);
  }
  // A new file, since a running browser may have the old one mapped.
  fs.rmSync(target, { force: true });
  fs.writeFileSync(target, withOwnName(fs.readFileSync(library())), { mode: 0o755 });
  const icd = { library_path: `./${SWIFTSHADER.library}`, api_version: "1.4.0" };
  const text = JSON.stringify({ file_format_version: "1.0.1", ICD: icd }, null, 2);
  fs.writeFileSync(path.join(folder, SWIFTSHADER.manifest), `${text}\n`);
}

/** Puts SwiftShader's files back. */
function uninstallChromium(folder) {
  if (!fs.existsSync(path.join(folder, SWIFTSHADER.library + BACKUP))) {
    throw new Error(`${folder} holds no files that were put aside`);
  }
  for (const name of Object.values(SWIFTSHADER)) {
    const file = path.join(folder, name);
    if (fs.existsSync(file + BACKUP)) fs.renameSync(file + BACKUP, file);
  }
}

module.exports = { activate, chromiumOptions, environment, installChromium, library, manifest, uninstallChromium };
