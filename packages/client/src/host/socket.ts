import { createHash } from 'node:crypto';
import { existsSync, lstatSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';

/** A path of a socket has about 100 bytes on every system. */
const PATH_BYTES = 100;

/** Where Infold hears hooks, by the rule of its own hook program. Undefined where nobody can be listening. */
export function socketAddress(data: string): string | undefined {
  const near = join(data, 'hooks.sock');
  if (process.platform !== 'win32' && Buffer.byteLength(near) <= PATH_BYTES) {
    return existsSync(near) ? near : undefined;
  }
  const name = `infold-${createHash('sha256').update(data).digest('hex').slice(0, 24)}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`;
  const owner = process.getuid!();
  const folder = `/tmp/infold-${owner}`;
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  // Anybody may make a folder of this name, and would be told everything.
  const isPrivate = stats?.isDirectory() && stats.uid === owner && (stats.mode & 0o077) === 0;
  const far = join(folder, `${name}.sock`);
  return isPrivate && existsSync(far) ? far : undefined;
}

/** What is answered to a line. Undefined where nobody has taken it in within the time. */
export function ask(data: string, line: string, milliseconds: number): Promise<string | undefined> {
  const address = socketAddress(data);
  if (address === undefined) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const socket = connect(address);
    let answer = '';
    const timer = setTimeout(() => settle(), milliseconds);
    const settle = () => {
      clearTimeout(timer);
      socket.destroy();
      // An answer ends with its line. Without that, nobody has taken it in.
      resolve(answer.endsWith('\n') ? answer.trimEnd() : undefined);
    };
    socket.setEncoding('utf8');
    socket.on('connect', () => socket.write(`${line}\n`));
    socket.on('data', (text: string) => {
      answer += text;
    });
    socket.on('error', settle);
    socket.on('close', settle);
  });
}
