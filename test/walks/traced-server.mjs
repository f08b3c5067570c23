import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';

/**
 * `node traced-server.mjs CHECKOUT serve …`: the built program of a checkout, unbundled, that tells over IPC which
 * files the next call passes. What timers and other calls do meanwhile is not the call's and is left out.
 */
const [checkout, ...words] = process.argv.slice(2);
const calls = new AsyncLocalStorage();
/** The call that is waited for, and the one that is followed. */
let next;
let followed;

globalThis.passed = (file) => {
  const call = calls.getStore();
  if (call?.isOpen) call.files.add(file);
};

process.on('message', (message) => {
  if (message.begin) next = { door: message.begin, isOpen: true, files: new Set() };
  else process.send({ files: end() });
});

function begin(door) {
  if (next?.door !== door) return false;
  followed = next;
  next = undefined;
  return true;
}

function end() {
  followed.isOpen = false;
  return [...followed.files];
}

subscribe('http.server.request.start', ({ request, response }) => {
  if (request.method !== 'POST' || !begin('http')) return;
  const call = followed;
  calls.enterWith(call);
  // What is done once the answer is out keeps nobody waiting.
  response.once('finish', () => {
    call.isOpen = false;
  });
});

const { WebSocket } = createRequire(`${checkout}/packages/server/package.json`)('ws');
const { emit } = WebSocket.prototype;
WebSocket.prototype.emit = function (name, ...values) {
  if (name !== 'message' || !begin('socket')) return emit.call(this, name, ...values);
  return calls.run(followed, () => emit.call(this, name, ...values));
};

register('./instrument.mjs', import.meta.url);
const { main } = await import(pathToFileURL(`${checkout}/packages/server/dist/cli/main.js`).href);
process.exitCode = await main(words);
