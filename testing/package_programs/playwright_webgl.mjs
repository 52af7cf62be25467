// WebGL in Chromium by Playwright: node playwright_webgl.mjs CHROMIUM options|sandbox
import { chromium } from "playwright-core";
import { chromiumOptions } from "pyroclast";

const [executablePath, way] = process.argv.slice(2);
const inPlace = { args: ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"] };
const options = way === "options" ? { ...chromiumOptions(), chromiumSandbox: false } : { ...inPlace, chromiumSandbox: true };
const browser = await chromium.launch({ ...options, executablePath, timeout: 180_000 });
const page = await browser.newPage();
const renderer = await page.evaluate(() => {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) return "no WebGL 2";
  gl.clearColor(1, 0.5, 0, 1);
  gl.clear(gl.COLOR_BUFFER_BIT);
  const pixel = new Uint8Array(4);
  gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
  if (pixel[0] !== 255 || pixel[2] !== 0) return `wrong pixel ${pixel}`;
  return gl.getParameter(gl.getExtension("WEBGL_debug_renderer_info").UNMASKED_RENDERER_WEBGL);
});
console.log(renderer);
await browser.close();
