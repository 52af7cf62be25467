// npm's `three` by its WebGPU renderer on `webgpu` (Dawn): a lit scene with shadows, and a compute node. With a folder as
// argument the picture is written there.
import { writeFileSync } from 'node:fs';
import { create, globals } from 'webgpu';

Object.assign(globalThis, globals);
const gpu = create(['backend=vulkan']);
Object.defineProperty(globalThis, 'navigator', { value: { gpu, userAgent: 'node' }, configurable: true });
globalThis.self = globalThis;
globalThis.requestAnimationFrame = (call) => setTimeout(() => call(performance.now()), 5);
globalThis.cancelAnimationFrame = clearTimeout;
const THREE = await import('three/webgpu');
const { Fn, float, instanceIndex, instancedArray } = await import('three/tsl');

const [width, height] = [256, 192];
const device = await (await gpu.requestAdapter()).requestDevice();
device.addEventListener('uncapturederror', (event) => {
  console.error(event.error.message);
  process.exit(1);
});
// The renderer wants a canvas, which is never drawn to.
const context = { configure() {}, unconfigure() {} };
const canvas = { width, height, style: {}, addEventListener() {}, removeEventListener() {}, getContext: () => context };
const renderer = new THREE.WebGPURenderer({ canvas, device, antialias: true });
await renderer.init();
renderer.setSize(width, height, false);
renderer.shadowMap.enabled = true;

const scene = new THREE.Scene();
scene.background = new THREE.Color(0x203040);
const camera = new THREE.PerspectiveCamera(50, width / height, 0.1, 50);
camera.position.set(3, 3, 5);
camera.lookAt(0, 0, 0);
const put = (geometry, material, ...place) => {
  const mesh = new THREE.Mesh(geometry, material);
  mesh.position.set(...place);
  mesh.castShadow = mesh.receiveShadow = true;
  scene.add(mesh);
  return mesh;
};
put(new THREE.BoxGeometry(), new THREE.MeshStandardMaterial({ color: 0xff5533, roughness: 0.4, metalness: 0.2 }), -1, 0, 0);
const knot = new THREE.MeshPhysicalMaterial({ color: 0x33aaff, clearcoat: 1, roughness: 0.3 });
put(new THREE.TorusKnotGeometry(0.5, 0.2, 96, 16), knot, 1, 0.2, 0);
const ground = put(new THREE.PlaneGeometry(10, 10), new THREE.MeshLambertMaterial({ color: 0x88aa66 }), 0, -0.7, 0);
ground.rotation.x = -Math.PI / 2;
const texels = new Uint8Array(64 * 64 * 4).map((_, i) => (i & 3) === 3 ? 255 : ((i >> 5) + (i >> 11)) & 1 ? 230 : 60);
const texture = new THREE.DataTexture(texels, 64, 64);
Object.assign(texture, { generateMipmaps: true, minFilter: THREE.LinearMipmapLinearFilter, anisotropy: 8, needsUpdate: true });
put(new THREE.SphereGeometry(0.5, 32, 16), new THREE.MeshPhongMaterial({ map: texture }), 0, 0.2, 1.4);
const many = new THREE.InstancedMesh(new THREE.IcosahedronGeometry(0.12, 1), new THREE.MeshToonMaterial({ color: 0xffff40 }), 50);
for (let i = 0; i < 50; i++) {
  many.setMatrixAt(i, new THREE.Matrix4().makeTranslation(2 * Math.cos(i), (i % 5) * 0.3 - 0.5, 2 * Math.sin(i)));
}
const sun = new THREE.DirectionalLight(0xffffff, 2);
sun.position.set(3, 5, 2);
sun.castShadow = true;
sun.shadow.mapSize.set(512, 512);
const lamp = new THREE.PointLight(0xff8800, 6);
lamp.position.set(-1, 1, 1.5);
scene.add(many, sun, lamp, new THREE.HemisphereLight(0xaaccff, 0x443322, 0.8));

const count = 4096;
const numbers = instancedArray(count, 'float');
const kernel = Fn(() => {
  const angle = float(instanceIndex.mod(60)).mul(0.05);
  numbers.element(instanceIndex).assign(angle.sin().add(float(instanceIndex.div(7))));
});
await renderer.computeAsync(kernel().compute(count));
const found = new Float32Array(await renderer.getArrayBufferAsync(numbers.value));
found.forEach((value, i) => {
  if (Math.abs(value - Math.sin((i % 60) * 0.05) - Math.floor(i / 7)) > 1e-3) throw new Error(`computed ${value} at ${i}`);
});

const target = new THREE.RenderTarget(width, height);
renderer.setRenderTarget(target);
for (let frame = 0; frame < 3; frame++) renderer.render(scene, camera);
const pixels = await renderer.readRenderTargetPixelsAsync(target, 0, 0, width, height);
const red = (x, y) => pixels[(y * width + x) * 4];
if (!(red(100, 85) > 120 && red(5, 5) < 40)) throw new Error(`the box's red is ${red(100, 85)}, the sky's ${red(5, 5)}`);
if (process.argv[2]) {
  const rgb = Buffer.from(pixels.filter((_, i) => (i & 3) < 3).slice(0, width * height * 3));
  writeFileSync(`${process.argv[2]}/three.ppm`, Buffer.concat([Buffer.from(`P6 ${width} ${height} 255\n`), rgb]));
}
console.log('three', THREE.REVISION);
process.exit(0);
