import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { nkeys } from '@nats-io/transport-node';

/** Makes the key with which nodes prove to NATS who they are: `node examples/cluster/make-key.mjs [--folder DIR]`. */
const { values } = parseArgs({ options: { folder: { type: 'string' } } });
const folder = values.folder ?? fileURLToPath(new URL('.', import.meta.url));
const secrets = join(folder, 'secrets');
const key = nkeys.createUser();

// Nobody else may enter the folder. The file is read by the user of the container, whose number is another one.
mkdirSync(secrets, { recursive: true, mode: 0o700 });
// A key that is in use is not replaced.
writeFileSync(join(secrets, 'nats.seed'), key.getSeed(), { flag: 'wx', mode: 0o644 });
writeFileSync(join(secrets, 'nats.public'), key.getPublicKey());
// Compose reads this file by itself.
writeFileSync(join(folder, '.env'), `INFOLD_NKEY=${key.getPublicKey()}\n`);
process.stdout.write(
  `The seed is in ${join(secrets, 'nats.seed')}; servers are told ${key.getPublicKey()}\n`,
);
