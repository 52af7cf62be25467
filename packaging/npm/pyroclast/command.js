#!/usr/bin/env node
"use strict";
// pyroclast exec -- PROGRAM ARGUMENTS | manifest | install-chromium FOLDER | uninstall-chromium FOLDER

const { spawnSync } = require("node:child_process");
const { constants } = require("node:os");
const pyroclast = require("./index.js");

const USAGE = `usage: pyroclast exec -- PROGRAM [ARGUMENT...]   run a program on this device alone
       pyroclast manifest                         print the path of the manifest
       pyroclast install-chromium FOLDER          put the driver into SwiftShader's place
       pyroclast uninstall-chromium FOLDER        put SwiftShader back

exec sets PYROCLAST_CONFORMANCE_VERSION=1.3.0.0 unless it is set, since wgpu hides devices that report no conformance version;
no version is certified.`;

function execute(words) {
  const [program, ...rest] = words[0] === "--" ? words.slice(1) : words;
  if (!program) return fail(USAGE, 2);
  const env = { ...process.env, ...pyroclast.environment() };
  const done = spawnSync(program, rest, { stdio: "inherit", env });
  if (done.error) return fail(`pyroclast: cannot run ${program}: ${done.error.message}`, 125);
  return done.status ?? 128 + constants.signals[done.signal];
}

function fail(message, code) {
  console.error(message);
  return code;
}

function main([command, ...words]) {
  switch (command) {
    case "exec":
      return execute(words);
    case "manifest":
      console.log(pyroclast.manifest());
      return 0;
    case "install-chromium":
    case "uninstall-chromium":
      if (words.length !== 1) return fail(USAGE, 2);
      (command === "install-chromium" ? pyroclast.installChromium : pyroclast.uninstallChromium)(words[0]);
      return 0;
    case "--help":
      console.log(USAGE);
      return 0;
    default:
      return fail(USAGE, 2);
  }
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  process.exitCode = fail(`pyroclast: ${error.message}`, 1);
}
