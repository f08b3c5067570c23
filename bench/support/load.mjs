import { Agent, request } from 'node:http';

/** Connections at once. Few, so that the machine has a core for the load and one for the server. */
const CONNECTIONS = 4;

/**
 * Calls tools over connections that stay open, one protocol era for each caller.
 */
export class Caller {
  #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  #address;
  #headers;
  #message;

  /**
   * @param {string} address
   * @param {Record<string, string>} headers
   * @param {object} message
   */
  constructor(address, headers, message) {
    this.#address = address;
    this.#headers = headers;
    this.#message = message;
  }

  /**
   * @param {string} address
   * @param {string} tool
   * @param {object} [input]
   */
  static modern(address, tool, input = {}) {
    const version = '2026-07-28';
    const meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    return new Caller(
      address,
      { 'mcp-protocol-version': version, 'mcp-method': 'tools/call', 'mcp-name': tool },
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: tool, arguments: input, _meta: meta },
      },
    );
  }

  /**
   * @param {string} address
   * @param {string} tool
   */
  static async legacy(address, tool) {
    const version = '2025-11-25';
    const begin = new Caller(
      address,
      {},
      {
        jsonrpc: '2.0',
        id: 0,
        method: 'initialize',
        params: {
          protocolVersion: version,
          capabilities: {},
          clientInfo: { name: 'bench', version: '1.0.0' },
        },
      },
    );
    const { headers } = await begin.#once();
    begin.close();
    const session = { 'mcp-session-id': String(headers['mcp-session-id']), 'mcp-protocol-version': version };
    const ready = new Caller(address, session, { jsonrpc: '2.0', method: 'notifications/initialized' });
    await ready.#once();
    ready.close();
    return new Caller(address, session, {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: tool, arguments: {} },
    });
  }

  /** @param {number} count */
  async calls(count) {
    let left = count;
    const lane = async () => {
      while (left-- > 0) await this.#once();
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  }

  close() {
    this.#agent.destroy();
  }

  /** @returns {Promise<{ headers: import('node:http').IncomingHttpHeaders }>} */
  #once() {
    const body = JSON.stringify(this.#message);
    return new Promise((resolve, reject) => {
      const outgoing = request(
        this.#address,
        {
          method: 'POST',
          agent: this.#agent,
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'content-length': Buffer.byteLength(body),
            ...this.#headers,
          },
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (chunk) => {
            text += chunk;
          });
          response.on('end', () => {
            // A refusal is fast: a benchmark of refusals would look good and mean nothing.
            const failed = (response.statusCode ?? 500) >= 300 || /"error":|"isError":true/.test(text);
            if (failed) reject(new Error(`${this.#address} answered ${response.statusCode}: ${text}`));
            else resolve({ headers: response.headers });
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }
}
