/** The library, to be loaded when it is needed. */
import './no-eval.ts';

export { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
