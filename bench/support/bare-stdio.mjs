import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createBareServer } from './bare-server.mjs';

/** The bare peer over standard input and output. */
serveStdio(createBareServer);
