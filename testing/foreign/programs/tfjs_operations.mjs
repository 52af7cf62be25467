// TensorFlow.js on npm's `webgpu` (Dawn): operations and training steps, each against the library's backend in JavaScript.
import { create, globals } from 'webgpu';

Object.assign(globalThis, globals);
Object.defineProperty(globalThis, 'navigator', { value: { gpu: create(['backend=vulkan']) }, configurable: true });
globalThis.self = globalThis.window = globalThis;
const tf = await import('@tensorflow/tfjs');
await import('@tensorflow/tfjs-backend-webgpu');

let seed = 1;
const data = (shape, low = -1, high = 1) => {
  const values = new Float32Array(shape.reduce((a, b) => a * b, 1));
  for (let i = 0; i < values.length; i++) {
    seed = (seed * 48271) % 2147483647;
    values[i] = low + ((high - low) * seed) / 2147483647;
  }
  return () => tf.tensor(values, shape);
};
let count = 0;
async function compare(name, build, allowed = 1e-3) {
  const results = [];
  for (const backend of ['cpu', 'webgpu']) {
    await tf.setBackend(backend);
    if (tf.getBackend() !== backend) throw new Error(`there is no backend ${backend}`);
    const result = tf.cast(build(), 'float32');
    results.push([await result.data(), String(result.shape)]);
  }
  const [[expected, shape], [found, own]] = results;
  if (shape !== own) throw new Error(`${name}: shape ${own}, expected ${shape}`);
  expected.forEach((value, i) => {
    if (!(Math.abs(found[i] - value) <= allowed * Math.max(1, Math.abs(value)))) {
      throw new Error(`${name}: ${found[i]} at ${i}, expected ${value}`);
    }
  });
  count += 1;
}

const [a, b, stack, other] = [data([65, 130]), data([130, 77]), data([4, 33, 20]), data([4, 20, 9])];
await compare('matMul', () => tf.matMul(a(), b()));
await compare('matMul, transposed', () => tf.matMul(b(), a(), true, true));
await compare('matMul of stacks', () => tf.matMul(stack(), other()));
for (const name of 'acos asin atan cosh tanh tan exp expm1 sigmoid softplus elu selu square floor round erf asinh'.split(' ')) {
  const x = data([7, 33], -0.95, 0.95);
  await compare(name, () => tf[name](x()));
}
for (const name of 'add sub mul div maximum pow squaredDifference atan2 floorDiv mod greater lessEqual prelu'.split(' ')) {
  const [x, y] = [data([7, 1, 33], 0.1, 3), data([5, 33], 0.2, 2)];
  await compare(name, () => tf[name](x(), y()));
}
for (const name of 'sum mean max min prod logSumExp argMax argMin cumsum'.split(' ')) {
  for (const axis of [0, 1, 2]) {
    const x = data([9, 70, 13], 0.5, 1.5);
    await compare(`${name} along ${axis}`, () => tf[name](x(), axis));
  }
}
const [images, filters, depthwise] = [data([2, 24, 23, 5]), data([3, 3, 5, 12]), data([3, 3, 5, 2])];
for (const [stride, pad, dilation] of [[1, 'same', 1], [2, 'valid', 1], [1, 'same', 2]]) {
  await compare('conv2d', () => tf.conv2d(images(), filters(), stride, pad, 'NHWC', dilation));
  await compare('depthwiseConv2d', () => tf.depthwiseConv2d(images(), depthwise(), stride, pad, 'NHWC', dilation));
}
const transposed = data([3, 3, 4, 5]);
await compare('conv2dTranspose', () => tf.conv2dTranspose(images(), transposed(), [2, 48, 46, 4], 2, 'same'));
for (const name of ['maxPool', 'avgPool']) await compare(name, () => tf[name](images(), 3, 2, 'same'));
await compare('resizeBilinear', () => tf.image.resizeBilinear(images(), [30, 11]));
await compare('transpose', () => tf.transpose(images(), [3, 1, 0, 2]));
await compare('stridedSlice', () => tf.stridedSlice(images(), [0, 1, 2, 0], [2, 16, 18, 4], [1, 2, 3, 1]));
await compare('mirrorPad', () => tf.mirrorPad(images(), [[0, 0], [1, 2], [3, 4], [0, 0]], 'reflect'));
await compare('rotate', () => tf.image.rotateWithOffset(images(), 0.5, 0.5));
await compare('softmax', () => tf.softmax(a()));
await compare('topk', () => tf.topk(a(), 7).values);
await compare('gather', () => tf.gather(a(), tf.tensor1d([3, 1, 4, 1, 5], 'int32'), 1));
await compare('fft', () => tf.real(tf.fft(tf.complex(a(), a()))));

const [points, wanted, first, second] = [data([64, 10]), data([64, 1]), data([10, 16], -0.3, 0.3), data([16, 1], -0.3, 0.3)];
await compare('training', () => {
  const [v, w] = [tf.variable(first()), tf.variable(second())];
  const adam = tf.train.adam(0.05);
  const loss = () => tf.mean(tf.squaredDifference(tf.matMul(tf.tanh(tf.matMul(points(), v)), w), wanted()));
  for (let step = 0; step < 20; step++) adam.minimize(loss);
  return v.clone();
}, 5e-3);
await compare('gradient of conv2d', () => {
  const loss = (filter) => tf.sum(tf.square(tf.relu(tf.conv2d(images(), filter, 1, 'same'))));
  return tf.grad(loss)(filters());
}, 1e-2);
console.log('tfjs', tf.version_core, count, 'comparisons');
process.exit(0);
