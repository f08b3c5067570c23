import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { EntryId, Proof } from '@infold/protocol';
import { problemOf, readProof } from '../../journal/integrity/proof.ts';
import { isoTime } from '../../kernel/clock.ts';
import type { Config } from '../../kernel/config.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { EXIT, type Output } from '../output.ts';
import { progressBar } from '../progress-bar.ts';
import { openExistingJournal } from '../services/journal.ts';
import { describeSigner, keyNamed, knownKeys, readGivenFile } from './signers.ts';

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
  const proof = readProof(readGivenFile(file).toString());
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
    const lines = [describe(proof), describeSigner(signer, isKnown)];
    return (proof.body ? [...lines, `Its data: ${proof.body.data}`] : lines).join('\n');
  });
  return problem === undefined ? EXIT.done : EXIT.found;
}

function describe({ entry, checkpoint }: Proof): string {
  const { org, principal, agent } = entry.actor;
  const who = `${principal} of ${org}${agent === undefined ? '' : ` (${agent})`}`;
  return `Entry ${entry.seq} (${entry.id} in ${entry.stream}, by ${who}, ${isoTime(entry.at)}) is in a journal of ${checkpoint.seq} entries with the root ${checkpoint.root}.`;
}

const isPosition = (entry: string) => /^\d+$/.test(entry);

function isOf({ entry }: Proof, named: string): boolean {
  return isPosition(named) ? entry.seq === Number(named) : entry.id === named;
}
