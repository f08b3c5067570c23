import { createPublicKey } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { EntryId, Proof } from '@infold/protocol';
import { keyIdOf, keysOf } from '../../journal/integrity/keys.ts';
import { problemOf, readProof } from '../../journal/integrity/proof.ts';
import { isoTime } from '../../kernel/clock.ts';
import type { Config } from '../../kernel/config.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { openDatabase } from '../../kernel/sqlite.ts';
import { EXIT, type Output } from '../output.ts';
import { progressBar } from '../progress-bar.ts';
import { openExistingJournal } from '../services/journal.ts';

export interface ProofFlags {
  entry?: string;
  proof?: string;
  key?: string;
  withBody?: boolean;
}

/** Writes a proof where FILE is not there, else verifies it. Exit code 4 when it does not hold. */
export async function verifyEntry(config: Config, output: Output, flags: ProofFlags): Promise<number> {
  const { entry, proof, key, withBody = false } = flags;
  if (entry === undefined || proof === undefined) {
    throw new InfoldError('invalid_arguments', 'Name the entry and the file: --entry ID --proof FILE');
  }
  const file = resolve(proof);
  if (existsSync(file)) {
    if (withBody)
      throw new InfoldError(
        'invalid_arguments',
        `${file} already exists; --with-body only applies when a proof is written`,
      );
    return checkProof(config, output, { entry, file, key });
  }
  if (key !== undefined)
    throw new InfoldError('invalid_arguments', `${file} does not exist; --key verifies an existing proof`);
  await writeProof(config, output, { entry, file, withBody });
  return EXIT.done;
}

async function writeProof(
  config: Config,
  output: Output,
  { entry, file, withBody }: { entry: string; file: string; withBody: boolean },
): Promise<void> {
  const journal = await openExistingJournal(config);
  const bar = progressBar('making checkpoints');
  try {
    await journal.checkpoint(bar.update);
    const which = isPosition(entry) ? Number(entry) : (entry as EntryId);
    const proof = await journal.prove(which, { body: withBody });
    const text = `${JSON.stringify(proof, null, 2)}\n`;
    bar.done();
    // It may hold what the entry says; who should see it is the owner's to decide.
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
    const { seq, root, key } = proof.checkpoint;
    const shown = { written: true, file, bytes: text.length, entry: proof.entry, body: withBody };
    output.answer({ ...shown, checkpoint: { seq, root }, key: key.id }, () =>
      [
        `${file} proves entry ${proof.entry.seq} of ${seq}, ${withBody ? 'with its data' : 'by the digest of its data'}.`,
        `Whoever has it can verify it without the journal, with the key ${key.id}:`,
        `infold verify --entry ${entry} --proof FILE --key ${key.id}`,
      ].join('\n'),
    );
  } finally {
    bar.done();
    await journal.close();
  }
}

async function checkProof(
  config: Config,
  output: Output,
  { entry, file, key }: { entry: string; file: string; key: string | undefined },
): Promise<number> {
  const wanted = key === undefined ? undefined : keyNamed(key);
  const proof = readProof(readFile(file));
  if (!proof) {
    const problem = 'the file holds no proof';
    output.answer({ ok: false, file, problem }, () => `${file} does not prove entry ${entry}: ${problem}.`);
    return EXIT.found;
  }
  const signer = proof.checkpoint.key.id;
  const known = wanted === undefined ? await knownKeys(config) : [wanted];
  const isKnown = known.includes(signer);
  const problem =
    problemOf(proof) ??
    (isOf(proof, entry) ? undefined : `it is of entry ${proof.entry.seq} (${proof.entry.id})`) ??
    (wanted !== undefined && !isKnown ? `it is signed by ${signer}, not by ${wanted}` : undefined);
  const { seq, root } = proof.checkpoint;
  const answer = {
    ok: problem === undefined,
    file,
    ...(problem === undefined ? {} : { problem }),
    entry: proof.entry,
    ...(proof.body ? { body: proof.body.data } : {}),
    checkpoint: { seq, root },
    key: { id: signer, known: isKnown },
  };
  output.answer(answer, () => {
    if (problem !== undefined) return `${file} does not prove entry ${entry}: ${problem}.`;
    const lines = [describe(proof), describeKey(signer, isKnown)];
    return (proof.body ? [...lines, `Its data: ${proof.body.data}`] : lines).join('\n');
  });
  return problem === undefined ? EXIT.done : EXIT.found;
}

function describe({ entry, checkpoint }: Proof): string {
  const { org, principal, agent } = entry.actor;
  const who = `${principal} of ${org}${agent === undefined ? '' : ` (${agent})`}`;
  return `Entry ${entry.seq} (${entry.id} in ${entry.stream}, by ${who}, ${isoTime(entry.at)}) is in a journal of ${checkpoint.seq} entries with the root ${checkpoint.root}.`;
}

function describeKey(id: string, isKnown: boolean): string {
  if (isKnown) return `It is signed by ${id}, which is known.`;
  return `It is signed by ${id}, which is not known here: ask the journal's owner whether that is its key, and name it with --key.`;
}

const isPosition = (entry: string) => /^\d+$/.test(entry);

function isOf({ entry }: Proof, named: string): boolean {
  return isPosition(named) ? entry.seq === Number(named) : entry.id === named;
}

function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new InfoldError('invalid_arguments', `${file} cannot be read`, { cause: error });
  }
}

/** The id of a key that was named by it, or by a file with the public key, as PEM or as what stands inside one. */
function keyNamed(key: string): string {
  if (/^key_[0-9a-f]{32}$/.test(key)) return key;
  const hint = 'give the id that "infold key show" prints, or a file with the public key';
  let text: string;
  try {
    text = readFileSync(key, 'utf8').trim();
  } catch (error) {
    throw new InfoldError('invalid_arguments', `${key} is neither a key nor a readable file; ${hint}`, {
      cause: error,
    });
  }
  try {
    const source = text.startsWith('-----')
      ? text
      : { key: Buffer.from(text, 'base64'), format: 'der' as const, type: 'spki' as const };
    return keyIdOf(createPublicKey(source).export({ format: 'der', type: 'spki' }));
  } catch (error) {
    throw new InfoldError('invalid_arguments', `${key} holds no public key; ${hint}`, { cause: error });
  }
}

/** Those of the data folder, where there is one: it is not needed, and not made or changed for this. */
async function knownKeys(config: Config): Promise<string[]> {
  const path = join(config.data, 'infold.db');
  if (!existsSync(path)) return [];
  try {
    const database = await openDatabase(path, { readOnly: true, immutable: !existsSync(`${path}-wal`) });
    try {
      return keysOf(database).map(({ id }) => id);
    } finally {
      database.close();
    }
  } catch {
    // A folder of an earlier version, or a damaged one, knows none.
    return [];
  }
}
