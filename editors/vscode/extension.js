// The debugger of Pyroclast in VS Code: starts `pyroclast debug`, which speaks the Debug Adapter Protocol.
'use strict';

const vscode = require('vscode');

/** Two numbers that the user types, or up to `most`. */
async function askPixel(most = 2) {
  const prompt = most > 2 ? 'The pixel: x and y, and if wanted its layer and sample' : 'The pixel: x and y';
  const text = await vscode.window.showInputBox({ prompt, placeHolder: '320 200' });
  const numbers = (text || '').split(/[ ,]+/).filter(Boolean).map(Number);
  return numbers.length >= 2 && numbers.length <= most && numbers.every(Number.isInteger) ? numbers : undefined;
}

function session() {
  const active = vscode.debug.activeDebugSession;
  if (!active || active.type !== 'pyroclast') {
    vscode.window.showErrorMessage('No shader is debugged: start a debugging session of type "pyroclast" first.');
    return undefined;
  }
  return active;
}

/** A text beside the source. */
async function show(content) {
  const document = await vscode.workspace.openTextDocument({ content, language: 'plaintext' });
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true });
}

function historyText(fragments) {
  const list = (color) => `(${color.join(', ')})`;
  const lines = fragments.map((one) => {
    const colors = one.colors.map((color) =>
      `    ${color.location}: shader ${list(color.output)}, before ${list(color.before)}, after ${list(color.after)}`);
    const depth = one.depthAttachment ? ` (was ${one.depthAttachment[0]})` : '';
    const head = `draw ${one.event}  primitive ${one.primitive}  ${one.shader}  ${one.fate}  depth ${one.depth}${depth}`;
    return [head, ...colors].join('\n');
  });
  return lines.length ? lines.join('\n') : 'No fragment touches the pixel.';
}

async function report(action) {
  try {
    await action();
  } catch (error) {
    vscode.window.showErrorMessage(String(error.message || error));
  }
}

function activate(context) {
  const factory = {
    createDebugAdapterDescriptor() {
      const path = vscode.workspace.getConfiguration('pyroclast').get('path') || 'pyroclast';
      return new vscode.DebugAdapterExecutable(path, ['debug']);
    },
  };
  const command = (name, action) =>
    context.subscriptions.push(vscode.commands.registerCommand(name, () => report(action)));
  context.subscriptions.push(vscode.debug.registerDebugAdapterDescriptorFactory('pyroclast', factory));
  command('pyroclast.pixel', async () => {
    const active = session();
    const numbers = active && await askPixel(4);
    if (numbers) {
      const [x, y, layer, sample] = numbers;
      await active.customRequest('pyroclast/target', { pixel: [x, y], layer, sample });
    }
  });
  command('pyroclast.pixelHistory', async () => {
    const active = session();
    const pixel = active && await askPixel();
    if (pixel) {
      const { fragments } = await active.customRequest('pyroclast/pixelHistory', { x: pixel[0], y: pixel[1] });
      await show(historyText(fragments));
    }
  });
  command('pyroclast.reload', async () => {
    const active = session();
    const editor = vscode.window.activeTextEditor;
    if (active && editor) {
      await editor.document.save();
      await active.customRequest('pyroclast/reload', { path: editor.document.uri.fsPath });
    }
  });
  command('pyroclast.subgroup', async () => {
    const active = session();
    const expression = active && await vscode.window.showInputBox({ prompt: 'An expression' });
    if (expression) {
      const { values } = await active.customRequest('pyroclast/subgroup', { expression });
      await show(values.map((one) => `${one.active ? ' ' : '-'} ${one.name}  ${one.value ?? one.error}`).join('\n'));
    }
  });
}

function deactivate() {}

module.exports = { activate, deactivate, historyText };
