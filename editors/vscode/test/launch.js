// Loads the extension with a stand-in for VS Code's API, and checks that what it registers is what the manifest
// declares and that its debug adapter is the command of the settings.
'use strict';

const assert = require('node:assert');
const Module = require('node:module');
const manifest = require('../package.json');

const commands = new Map();
const factories = new Map();
const vscode = {
  DebugAdapterExecutable: class { constructor(command, args) { Object.assign(this, { command, args }); } },
  ViewColumn: { Beside: 2 },
  commands: { registerCommand: (name, action) => commands.set(name, action) },
  debug: { registerDebugAdapterDescriptorFactory: (type, factory) => factories.set(type, factory) },
  window: { showErrorMessage: (text) => { vscode.said = text; } },
  workspace: { getConfiguration: () => ({ get: () => '/opt/pyroclast' }) },
};
const load = Module._load;
Module._load = (name, ...rest) => (name === 'vscode' ? vscode : load(name, ...rest));
const extension = require('../extension.js');

extension.activate({ subscriptions: [] });
const declared = manifest.contributes.commands.map((one) => one.command).sort();
assert.deepStrictEqual([...commands.keys()].sort(), declared);
const adapter = factories.get(manifest.contributes.debuggers[0].type).createDebugAdapterDescriptor();
assert.deepStrictEqual([adapter.command, adapter.args], ['/opt/pyroclast', ['debug']]);
commands.get('pyroclast.pixelHistory')().then(() => {
  assert.match(vscode.said, /No shader is debugged/);
  const color = { location: 0, output: [1, 0, 0, 1], before: [0, 0, 0, 0], after: [1, 0, 0, 1] };
  const one = { event: 3, primitive: 7, shader: 'main', fate: 'passed', depth: 0.5, colors: [color] };
  assert.match(extension.historyText([one]), /draw 3 {2}primitive 7 .*passed[^]*after \(1, 0, 0, 1\)/);
  assert.match(extension.historyText([]), /No fragment/);
  console.log('the extension registers what it declares');
});
