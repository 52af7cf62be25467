/** How the loader's variables are set. */
export interface Options {
  /** Show this device before those that are installed, instead of alone (loaders since 1.3.207). */
  add?: boolean;
  /** Report a conformance version, without which wgpu hides the device; no version is certified. Default: true. */
  conformance?: boolean;
  /** The environment to start from. Default: `process.env`. */
  base?: Record<string, string | undefined>;
}

export interface ChromiumOptions {
  args: string[];
  env: Record<string, string>;
}

export function library(): string;
export function manifest(): string;
export function environment(options?: Options): Record<string, string>;
export function activate(options?: Options): void;
export function chromiumOptions(given?: {
  args?: string[];
  env?: Record<string, string | undefined>;
  /** The driver is in SwiftShader's place in that browser (`installChromium`): WebGPU, too. Default: false. */
  installed?: boolean;
}): ChromiumOptions;
export function installChromium(folder: string): void;
export function uninstallChromium(folder: string): void;
