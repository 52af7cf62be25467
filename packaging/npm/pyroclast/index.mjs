import pyroclast from "./index.js";

export const { activate, chromiumOptions, environment, installChromium, library, manifest, uninstallChromium } = pyroclast;
