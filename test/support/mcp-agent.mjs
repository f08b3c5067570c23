import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/**
 * An MCP agent for all who test or measure the built program: end-to-end tests, golden folders and benchmarks.
 *
 * @typedef {object} AgentOptions
 * @property {'2025' | '2026'} [era] of the protocol
 * @property {string} [name] of the host, as it introduces itself
 * @property {string} [version] of the host
 */

/** The built program, as a host or a person starts it. */
export const PROGRAM = fileURLToPath(new URL('../../packages/server/bin/infold.mjs', import.meta.url));

/**
 * Nothing of the tester's own settings, so that a test sees defaults.
 *
 * @param {Record<string, string>} [more]
 * @returns {Record<string, string>}
 */
export const environment = (more = {}) => ({ PATH: process.env.PATH ?? '', HOME: tmpdir(), ...more });

/** @param {AgentOptions} options */
const newClient = ({ era = '2025', name = 'infold-test', version = '1' }) =>
  new Client({ name, version }, era === '2026' ? { versionNegotiation: { mode: 'auto' } } : {});

/**
 * An agent that speaks to a running server.
 *
 * @param {string} url of `/mcp`
 * @param {AgentOptions & { token?: string | undefined, headers?: Record<string, string>, fetch?: typeof fetch }} [options]
 */
export async function connectOverHttp(
  url,
  { token, headers = {}, fetch: fetchWith = fetch, ...options } = {},
) {
  const client = newClient(options);
  const all = token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` };
  const settings = { requestInit: { headers: all }, fetch: fetchWith };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), settings));
  return client;
}

/**
 * An agent whose host starts the program: it is the local owner.
 *
 * @param {string} data the data folder
 * @param {AgentOptions & { args?: readonly string[], env?: Record<string, string>, stderr?: 'ignore' | 'inherit' }} [options]
 */
export async function connectOverStdio(data, { args = [], env = {}, stderr = 'ignore', ...options } = {}) {
  const client = newClient(options);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'stdio', '--data', data, ...args],
    env: environment(env),
    stderr,
  });
  await client.connect(transport);
  return { client, pid: /** @type {number} */ (transport.pid) };
}

/**
 * The structured content of a tool's answer; an error of the tool is thrown.
 *
 * @param {Client} client
 * @param {string} name
 * @param {Record<string, unknown>} [input]
 * @returns {Promise<Record<string, any>>}
 */
export async function answerOf(client, name, input = {}) {
  const result = await client.callTool({ name, arguments: input });
  if (result.isError) throw new Error(`${name}: ${JSON.stringify(result.content)}`);
  return /** @type {Record<string, any>} */ (result.structuredContent);
}
