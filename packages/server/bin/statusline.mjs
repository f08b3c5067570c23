// What a host shows below its prompt: how full its window is, the open branch, and what was saved. Hosts run it all the time,
// so it loads next to nothing, and asks whoever listens for hooks. Whatever goes wrong, it ends well and prints less, or nothing.
//
//   node statusline.mjs [--json] [--data DIR]   < the host's own figures
const { env, argv } = process;
const fs = process.getBuiltinModule('node:fs');
const path = process.getBuiltinModule('node:path');

/** Without an answer by then, what the host says itself is shown. */
const BUDGET = 1000;
const PAYLOAD_BYTES = 1024 * 1024;
/** A path of a socket has about 100 bytes on every system. */
const SOCKET_PATH_BYTES = 100;
const LONGEST_BRANCH = 40;

const isJson = argv.includes('--json');
let told = {};

process.on('uncaughtException', () => process.exit(0));
setTimeout(() => show({}), BUDGET);
readPayload();

function readPayload() {
  let text = '';
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (chunk) => {
    text += chunk;
    if (text.length > PAYLOAD_BYTES) process.exit(0);
  });
  process.stdin.on('end', () => {
    told = objectIn(text);
    ask(text);
  });
}

function ask(payload) {
  const address = socketAddress(dataFolder());
  if (typeof told.session_id !== 'string' || address === undefined) return show({});
  let answer = '';
  const socket = process.getBuiltinModule('node:net').connect(address);
  socket.setEncoding('utf8');
  socket.on('connect', () => {
    socket.write(`${JSON.stringify({ v: 1, host: 'claude-code', event: 'statusline', payload })}\n`);
  });
  socket.on('data', (text) => {
    answer += text;
  });
  // It is told by the end of the connection.
  socket.on('error', () => {});
  socket.on('close', () => show(objectIn(answer)));
}

function dataFolder() {
  const place = argv.findIndex((word) => word === '--data' || word.startsWith('--data='));
  const named = argv[place] === '--data' ? argv[place + 1] : argv[place]?.slice('--data='.length);
  const folder = (place < 0 ? undefined : named) || env.INFOLD_DATA;
  return path.resolve(folder || path.join(env.HOME || env.USERPROFILE || '', '.infold'));
}

/** By the same rule as `hook.mjs`; undefined where nobody can be listening. */
function socketAddress(data) {
  const near = path.join(data, 'hooks.sock');
  if (process.platform !== 'win32' && Buffer.byteLength(near) <= SOCKET_PATH_BYTES) {
    return fs.existsSync(near) ? near : undefined;
  }
  const { createHash } = process.getBuiltinModule('node:crypto');
  const name = `infold-${createHash('sha256').update(data).digest('hex').slice(0, 24)}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`;
  const folder = `/tmp/infold-${process.getuid()}`;
  const stats = fs.lstatSync(folder, { throwIfNoEntry: false });
  const isPrivate = stats?.isDirectory() && stats.uid === process.getuid() && (stats.mode & 0o077) === 0;
  return isPrivate ? `${folder}/${name}.sock` : undefined;
}

function show({ branch, subagents = 0, saved = 0 }) {
  const window = windowUse(told.context_window);
  const figures = {
    ...(window && { window }),
    ...(branch && { branch }),
    ...(subagents > 0 && { subagents }),
    ...(saved > 0 && { saved }),
  };
  if (Object.keys(figures).length > 0) {
    fs.writeSync(1, `${isJson ? JSON.stringify(figures) : lineOf(figures)}\n`);
  }
  process.exit(0);
}

/** What the host says of its window: a share, or what it holds of how much. */
function windowUse(given) {
  const { used_percentage: share, context_window_size: size, current_usage: usage } = given ?? {};
  const names = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];
  const counts = usage ? names.map((name) => usage[name] ?? 0) : [];
  const tokens =
    counts.length > 0 && counts.every(Number.isFinite) ? counts.reduce((sum, one) => sum + one, 0) : 0;
  const percent = Number.isFinite(share) ? share : size > 0 && tokens > 0 ? (tokens / size) * 100 : undefined;
  if (percent === undefined) return undefined;
  return { percent: Math.round(percent), ...(tokens > 0 && { tokens }), ...(size > 0 && { size }) };
}

function lineOf({ window, branch, subagents, saved }) {
  const parts = [];
  if (window) parts.push(`window ${window.percent}%`);
  if (branch) {
    const title = [...String(branch.description).replaceAll(/[\p{Cc}\s]+/gu, ' ')];
    const shown =
      title.length > LONGEST_BRANCH ? `${title.slice(0, LONGEST_BRANCH).join('')}…` : title.join('');
    parts.push(branch.depth > 1 ? `branch ${shown} (${branch.depth} deep)` : `branch ${shown}`);
  }
  if (subagents) parts.push(`${subagents} subagent${subagents === 1 ? '' : 's'}`);
  if (saved) parts.push(`saved ${short(saved)} tokens`);
  return parts.join(' · ');
}

function short(count) {
  if (count < 1000) return String(count);
  return count < 100_000 ? `${(count / 1000).toFixed(1)}k` : `${Math.round(count / 1000)}k`;
}

function objectIn(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
