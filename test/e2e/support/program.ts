import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { CallToolResult, Client } from '@modelcontextprotocol/client';
import { afterThisFile } from '../../support/leftovers.ts';
import { connectOverHttp, connectOverStdio, environment, PROGRAM } from '../../support/mcp-agent.mjs';

export { environment, PROGRAM };

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'infold-e2e-'));
  afterThisFile(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  process: ChildProcess;
  stdout(): string;
  stderr(): string;
  ended: Promise<Ended>;
}

export interface RunOptions extends Pick<SpawnOptions, 'cwd' | 'uid' | 'gid'> {
  env?: Record<string, string>;
  input?: string;
}

/** Starts the program; whatever happens, it does not outlive the test file. */
export function start(args: readonly string[], { env = {}, input, ...options }: RunOptions = {}): Running {
  const child = spawn(process.execPath, [PROGRAM, ...args], { ...options, env: environment(env) });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  child.stdin.on('error', () => {});
  if (input !== undefined) child.stdin.end(input);
  const textOf = (chunks: Buffer[]) => Buffer.concat(chunks).toString();
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code) => resolve({ code, stdout: textOf(stdout), stderr: textOf(stderr) }));
  });
  afterThisFile(() => {
    child.kill('SIGKILL');
    return ended;
  });
  return { process: child, stdout: () => textOf(stdout), stderr: () => textOf(stderr), ended };
}

/** Runs a command to its end. */
export function run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return start(args, { input: '', ...options }).ended;
}

/** Runs a command with `--json` and reads its answer. */
export async function runJson<Answer>(data: string, ...args: string[]): Promise<Answer> {
  const { code, stdout, stderr } = await run(['--data', data, '--json', ...args]);
  if (code !== 0) throw new Error(`infold ${args.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as Answer;
}

export interface Server extends Running {
  url: string;
  port: number;
  data: string;
  /** Ends it as an operator does, and answers how it ended. */
  stop(): Promise<Ended>;
}

export interface ServerOptions extends RunOptions {
  data?: string;
  args?: readonly string[];
}

/** `infold serve` on a free port; resolves when it says that it listens. */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const { data = temporaryFolder(), args = [], ...runOptions } = options;
  const running = start(['serve', '--port', '0', '--data', data, ...args], runOptions);
  const line = await firstLine(running);
  const url = line.replace('infold listening on ', '');
  const stop = () => {
    running.process.kill('SIGTERM');
    return running.ended;
  };
  return { ...running, url, port: Number(new URL(url).port), data, stop };
}

function firstLine(running: Running): Promise<string> {
  return new Promise((resolve, reject) => {
    createInterface({ input: running.process.stdout! }).once('line', resolve);
    void running.ended.then(({ code, stderr }) => reject(new Error(`serve ended with ${code}: ${stderr}`)));
  });
}

export const ERAS = ['2025', '2026'] as const;
export type Era = (typeof ERAS)[number];
export const TRANSPORTS = ['stdio', 'http'] as const;
export type TransportName = (typeof TRANSPORTS)[number];

function closedAfterwards(client: Client): Client {
  afterThisFile(() => client.close().catch(() => {}));
  return client;
}

export async function connectHttp(
  url: string,
  era: Era,
  token?: string,
  fetchWith: typeof fetch = fetch,
  name?: string,
): Promise<Client> {
  const named = name === undefined ? {} : { name };
  return closedAfterwards(await connectOverHttp(url, { era, token, fetch: fetchWith, ...named }));
}

export interface StdioHost {
  client: Client;
  pid: number;
}

export async function connectStdio(
  era: Era,
  data: string,
  args: readonly string[] = [],
  name?: string,
  env: Record<string, string> = {},
): Promise<StdioHost> {
  const named = name === undefined ? {} : { name };
  const host = await connectOverStdio(data, { era, args, env, ...named });
  closedAfterwards(host.client);
  return host;
}

export interface Envelope {
  content: { type: string; text: string }[];
  structuredContent: Record<string, unknown>;
  isError: boolean;
  _meta?: Record<string, unknown>;
}

export async function callTool(client: Client, name: string, input: unknown = {}): Promise<Envelope> {
  const result: CallToolResult = await client.callTool({ name, arguments: input as Record<string, unknown> });
  return result as unknown as Envelope;
}

/** A JSON-RPC message over HTTP, as `curl` would send it. */
export function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
  });
}

export const statusCall = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'infold_status', arguments: {} },
};

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'curl', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The same call as the 2026 era makes it, and its headers over HTTP. */
export const modernStatusCall = { ...statusCall, params: { ...statusCall.params, _meta: envelope } };
export const modernHeaders = {
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'infold_status',
};

export const initializeCall = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'curl', version: '1' } },
};

export async function until(
  condition: () => boolean | Promise<boolean>,
  milliseconds = 60_000,
): Promise<void> {
  const deadline = performance.now() + milliseconds;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('What was waited for did not happen');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
