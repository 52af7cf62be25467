// A session of the debugger as VS Code has it: captures a shader with the program that the environment variable
// PYROCLAST names, and speaks to its debug adapter with VS Code's client for tests of adapters.
'use strict';

const assert = require('node:assert');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { DebugClient } = require('@vscode/debugadapter-testsupport');
const manifest = require('../package.json');

const program = process.env.PYROCLAST || 'pyroclast';
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pyroclast-session-'));
const shader = path.join(folder, 'sum.comp');
const [SUM, STORE] = [6, 8];
const source = `#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Data { float data[]; };
void main() {
    float sum = 0.0;
    for (int i = 0; i < 4; i++) sum += data[i];
    uint at = gl_GlobalInvocationID.x;
    data[at] = sum;
}
`;

function capture() {
  fs.writeFileSync(shader, source);
  const [module, file] = ['sum.spv', 'sum.pyro'].map((name) => path.join(folder, name));
  execFileSync('glslangValidator', ['-gVS', '-V', shader, '-o', module]);
  const run = ['run', module, '--groups', '1', '--buffer', '0.0=f32:1,2,3,4', '--print', '0.0=f32'];
  execFileSync(program, ['capture', '-o', file, '--', program, ...run]);
  return file;
}

async function session(client) {
  const launch = { capture: capture(), target: { workgroup: [0, 0, 0] } };
  const declared = manifest.contributes.debuggers[0].configurationAttributes.launch.properties;
  Object.keys(launch).forEach((name) => assert.ok(name in declared, `the manifest has no ${name}`));

  // Checks the answers' structure, the order of `initialized`, and that the stop is at the place.
  await client.hitBreakpoint(launch, { path: shader, line: STORE });
  const threadId = (await client.threadsRequest()).body.threads[0].id;
  const place = async () => (await client.stackTraceRequest({ threadId })).body.stackFrames[0];
  const value = async (expression) => {
    const frameId = (await place()).id;
    return (await client.evaluateRequest({ expression, frameId })).body.result;
  };
  const stops = async (reason, request) => {
    const [event] = await Promise.all([client.waitForEvent('stopped'), request]);
    assert.strictEqual(event.body.reason, reason);
  };
  assert.strictEqual(await value('sum'), '10.0');

  const frameId = (await place()).id;
  const scopes = (await client.scopesRequest({ frameId })).body.scopes;
  const locals = scopes.find((scope) => /local/i.test(scope.name));
  const variables = (await client.variablesRequest(locals)).body.variables;
  assert.ok(variables.some((one) => one.name === 'sum' && one.value === '10.0'), JSON.stringify(variables));

  // Backwards into the loop, to its second round.
  await stops('breakpoint', (async () => {
    const breakpoints = [{ line: SUM, condition: 'i == 2' }];
    await client.setBreakpointsRequest({ source: { path: shader }, breakpoints });
    await client.reverseContinueRequest({ threadId });
  })());
  assert.strictEqual((await place()).line, SUM);
  const before = await value('sum');
  assert.ok(Number(before) < 10, before);
  await stops('step', client.stepBackRequest({ threadId }));
  await stops('step', client.nextRequest({ threadId }));

  // What only this adapter has.
  const events = (await client.customRequest('pyroclast/events')).body.events;
  assert.strictEqual(events.length, 1);
  await assert.rejects(client.evaluateRequest({ expression: 'nothing', frameId: (await place()).id }));
}

const client = new DebugClient(program, 'debug', manifest.contributes.debuggers[0].type);
client.start()
  .then(() => session(client))
  .then(() => console.log('a session by the client of VS Code'))
  .catch((error) => { console.error(error); process.exitCode = 1; })
  .finally(() => client.stop().finally(() => fs.rmSync(folder, { recursive: true, force: true })));
