import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../packages/server/dist/kernel/sqlite.js';

/** Another process that writes: `node lock-holder.mjs FILE MILLISECONDS` says when it has the lock, and lets it go. */
const [file = '', milliseconds] = process.argv.slice(2);
const database = await openDatabase(file, { blockingWait: 5000 });
database.exec('BEGIN IMMEDIATE');
process.send?.('held');
await sleep(Number(milliseconds));
database.exec('ROLLBACK');
database.close();
process.disconnect();
