// What a host runs at each of its events: it hands the event to whoever listens in the data folder, and prints the
// answer. The host waits for it, so it loads next to nothing, and whatever goes wrong, it ends well and says nothing.
//
//   node hook.mjs HOST EVENT [--data DIR]   < payload
const { env, argv, pid } = process;
const fs = process.getBuiltinModule('node:fs');

/** A server that takes longer is not waited for. Hosts end some hooks after 3 seconds. */
const TOOL_BUDGET = 1500;
const START_BUDGET = 4000;
const BUDGET = 2500;
/**
 * Hosts tell of a session's start right after they started our server, which is not listening yet: for this long it is
 * waited for, and for nothing else. A session that goes on after a compaction has had its server for long.
 */
const SERVER_START = 2500;
const PAUSE = 25;
/** A host may leave its end open: a whole document that nothing follows for so long is all there is. */
const QUIET = 50;
/** Of a payload, and of one message with it. */
const PAYLOAD_BYTES = 16 * 1024 * 1024;
/** Of everything that waits to be taken in. */
const SPOOL_FILES = 2000;
const SPOOL_BYTES = 16 * 1024 * 1024;
/** A path of a socket has about 100 bytes on every system. */
const SOCKET_PATH_BYTES = 100;
/** What tells hosts from each other. */
const VARIABLES = [
  'CLAUDE_CODE_SESSION_ID',
  'QWEN_CODE_SESSION_ID',
  'GEMINI_SESSION_ID',
  'CURSOR_VERSION',
  'GROK_HOOK_EVENT',
];

const { host, event, data } = commandLine();
const isStart = /^session_?start$/i.test(event);
const budget = isStart ? START_BUDGET : /tool/i.test(event) ? TOOL_BUDGET : BUDGET;
const started = Date.now();
let message = '';
let mayWait = isStart;

process.on('uncaughtException', end);
process.on('unhandledRejection', end);
if (host === undefined || !fs.existsSync(data)) end();
const received = readPayload();
setTimeout(() => {
  if (message === '' && isWhole(received())) message = messageOf(received());
  spool();
}, budget);

function commandLine() {
  const given = argv.slice(2).filter((word) => word !== 'hook');
  const words = [];
  let folder = env.INFOLD_DATA;
  for (let place = 0; place < given.length; place++) {
    const word = given[place];
    if (word === '--data') folder = given[++place];
    else if (word.startsWith('--data=')) folder = word.slice('--data='.length);
    else if (word === '--config' || word === '--log-level') place++;
    else if (!word.startsWith('-')) words.push(word);
  }
  const path = process.getBuiltinModule('node:path');
  // As the server finds it.
  folder ||= path.join(process.getBuiltinModule('node:os').homedir(), '.infold');
  return { host: words[0], event: words[1] ?? '', data: path.resolve(folder) };
}

/** Delivers the payload when it is there, and answers how one gets at what has come so far. */
function readPayload() {
  const chunks = [];
  let size = 0;
  let quiet;
  const text = () => Buffer.concat(chunks).toString();
  process.stdin.on('data', (chunk) => {
    size += chunk.length;
    if (size > PAYLOAD_BYTES) spool();
    chunks.push(chunk);
    clearTimeout(quiet);
    quiet = setTimeout(() => {
      if (isWhole(text())) deliver(text());
    }, QUIET);
  });
  process.stdin.on('error', end);
  process.stdin.on('end', () => {
    clearTimeout(quiet);
    deliver(text());
  });
  return text;
}

/** A payload is an object: a part of one is no JSON. */
function isWhole(text) {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

function deliver(payload) {
  // The end may come after all.
  if (message !== '') return;
  message = messageOf(payload);
  mayWait = isStart && !/"source"\s*:\s*"compact"/.test(payload);
  say();
}

function messageOf(payload) {
  const told = { PWD: process.cwd() };
  for (const name of VARIABLES) if (env[name]) told[name] = env[name];
  const id = `${started.toString(36)}-${pid}-${Math.random().toString(36).slice(2, 12)}`;
  return JSON.stringify({
    v: 1,
    id,
    host,
    event,
    at: started,
    until: started + budget,
    env: told,
    ancestors: ancestors(),
    payload,
  });
}

function say() {
  const address = socketAddress();
  if (address === undefined) return nobody();
  let answer = '';
  let isHeard = false;
  const socket = process.getBuiltinModule('node:net').connect(address);
  socket.setEncoding('utf8');
  socket.on('connect', () => {
    isHeard = true;
    socket.write(`${message}\n`);
  });
  socket.on('data', (text) => {
    answer += text;
  });
  // It is told by the end of the connection.
  socket.on('error', () => {});
  socket.on('close', () => {
    // An answer ends with its line. Without that, nobody has taken the event in.
    if (answer.endsWith('\n')) end(answer.trimEnd());
    else if (isHeard) spool();
    else nobody();
  });
}

function nobody() {
  if (mayWait && Date.now() - started < SERVER_START) setTimeout(say, PAUSE);
  else spool();
}

/** Undefined where nobody can be listening. */
function socketAddress() {
  const path = process.getBuiltinModule('node:path');
  const near = path.join(data, 'hooks.sock');
  if (process.platform !== 'win32' && Buffer.byteLength(near) <= SOCKET_PATH_BYTES) {
    return fs.existsSync(near) ? near : undefined;
  }
  const { createHash } = process.getBuiltinModule('node:crypto');
  const name = `infold-${createHash('sha256').update(data).digest('hex').slice(0, 24)}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`;
  const folder = `/tmp/infold-${process.getuid()}`;
  const stats = fs.lstatSync(folder, { throwIfNoEntry: false });
  // Anybody may make a folder of this name, and would be told everything.
  const isPrivate = stats?.isDirectory() && stats.uid === process.getuid() && (stats.mode & 0o077) === 0;
  const far = `${folder}/${name}.sock`;
  return isPrivate && fs.existsSync(far) ? far : undefined;
}

/** The processes above this one, where the system shows them without another program. */
function ancestors() {
  const found = [process.ppid];
  if (process.platform !== 'linux') return found;
  try {
    while (found.length < 8 && found[found.length - 1] > 1) {
      const stat = fs.readFileSync(`/proc/${found[found.length - 1]}/stat`, 'latin1');
      // The name before it may hold anything, brackets and spaces too.
      found.push(Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    }
  } catch {
    // Another user's.
  }
  return found;
}

/**
 * Keeps the event for whoever listens next: a file of its own, which is there whole or not at all. What did not come whole, or
 * has no room, is counted.
 */
function spool() {
  const folder = `${data}/spool`;
  const bytes = Buffer.byteLength(message);
  try {
    if (!fs.existsSync(folder)) fs.mkdirSync(folder, { mode: 0o700 });
    const names = fs.readdirSync(folder);
    const held = names.reduce((sum, name) => sum + (Number(name.split('-')[1]) || 0), bytes);
    if (message === '' || names.length >= SPOOL_FILES || held > SPOOL_BYTES) {
      fs.writeFileSync(`${folder}/dropped`, '.', { flag: 'a', mode: 0o600 });
    } else {
      const name = `${folder}/${started}-${bytes}-${pid}${Math.random().toString(36).slice(2, 8)}`;
      fs.writeFileSync(`${name}.part`, message, { flag: 'wx', mode: 0o600 });
      fs.renameSync(`${name}.part`, `${name}.json`);
    }
  } catch {
    // The folder has gone, or the disk is full: the host should not notice.
  }
  end();
}

function end(answer) {
  try {
    // Not through the stream: a pipe is then written before the process is gone.
    if (typeof answer === 'string' && answer !== '') writeAll(`${answer}\n`);
  } catch {
    // The host does not listen any more.
  }
  process.exit(0);
}

function writeAll(text) {
  let rest = Buffer.from(text);
  const deadline = Date.now() + 500;
  while (rest.length > 0 && Date.now() < deadline) {
    try {
      rest = rest.subarray(fs.writeSync(1, rest));
    } catch (error) {
      if (error.code !== 'EAGAIN') return;
    }
  }
}
