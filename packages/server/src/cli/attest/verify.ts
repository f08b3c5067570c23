import { isUtf8 } from 'node:buffer';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { MOST_PROOF_BYTES } from '@infold/protocol';
import type { Actor } from '../../journal/journal.ts';
import { isoTime } from '../../kernel/clock.ts';
import { checkSessionProof } from '../../library/proof/check.ts';
import type { InForce, SessionEvidence } from '../../library/proof/evidence.ts';
import type { Run } from '../command-line.ts';
import { EXIT } from '../output.ts';
import { describeSigner, keyNamed, knownKeys, readGivenFile } from '../system/signers.ts';

/** Makes and changes nothing; a data folder is asked only for the keys that it knows. Exit code 4 when it does not hold. */
export async function attestVerify(
  { report, output }: Run,
  { key }: { key?: string },
  given: string,
): Promise<number> {
  const wanted = key === undefined ? undefined : keyNamed(key);
  const file = resolve(given);
  const { evidence, problem } = checkFile(file);
  if (!evidence) return refuse(problem);
  const signer = evidence.journal.key;
  const known = wanted === undefined ? await knownKeys(report.config) : [wanted];
  const isKnown = known.includes(signer);
  if (wanted !== undefined && !isKnown) return refuse(`it is signed by ${signer}, not by ${wanted}`);
  output.answer({ ok: true, file, key: { id: signer, known: isKnown }, ...evidence }, () =>
    plain([...describe(evidence), describeSigner(signer, isKnown)].join('\n')),
  );
  return EXIT.done;

  function refuse(why: string): number {
    const told = plain(why);
    output.answer({ ok: false, file, problem: told }, () => `${file} proves nothing: ${told}.`);
    return EXIT.found;
  }
}

function checkFile(file: string): ReturnType<typeof checkSessionProof> {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MOST_PROOF_BYTES) return { problem: `it has ${size} bytes, more than any session proof` };
  const bytes = readGivenFile(file);
  // What is not text would be read as if it were another one.
  return isUtf8(bytes) ? checkSessionProof(bytes.toString()) : { problem: 'it is no session proof' };
}

/** What a stranger's file says must not steer the terminal. */
const plain = (text: string) => text.replaceAll(/[^\P{Cc}\n]|\p{Cf}/gu, '\uFFFD');

const basis = (proven: boolean) => (proven ? 'proven' : 'stated');
const short = (hash: string) => hash.replace(/^sha256:/, '').slice(0, 12);
const whoIs = ({ org, principal, agent }: Actor) =>
  `${principal} of ${org}${agent === undefined ? '' : ` (${agent})`}`;

function inRevision({
  revision,
  revision_proven,
  proven,
}: SessionEvidence['loaded' | 'declared'][number]): string {
  if (revision === null) return '';
  return ` revision ${revision}${proven && !revision_proven ? ' (stated)' : ''}`;
}

function describe(evidence: SessionEvidence): string[] {
  const { session, journal, in_force, loaded, declared, turns, set_up, publications } = evidence;
  const who = session.actors.map(whoIs);
  const names = session.host_ids.length === 0 ? '' : ` (${session.host_ids.join(', ')} at its host)`;
  const line = (at: number, proven: boolean, text: string) => `  ${basis(proven)}  ${isoTime(at)}  ${text}`;
  return [
    `Session ${session.id}${names} of ${who.join(', ')}: its first ${session.entries} entries, ${isoTime(session.first_at)} to ${isoTime(session.last_at)}, none between them left out, are in a journal of ${journal.entries} entries with the root ${journal.root}.`,
    'Proven is what the entries that are shown say; their times are those of the clock that wrote them. Stated is what the holder of the key says of entries that are not shown.',
    ...in_force.flatMap(describeState),
    ...section('Set up', set_up, ({ at, proven, mpf_hash, drafts }) =>
      line(
        at,
        proven,
        `${mpf_hash === null ? 'no meta prompt' : `meta prompt ${short(mpf_hash)}`}${drafts ? ', with drafts' : ''}`,
      ),
    ),
    ...section('Published', publications, ({ at, proven, revision, actor }) =>
      line(at, proven, `revision ${revision}, by ${whoIs(actor)}`),
    ),
    ...section('Loaded', loaded, (item) =>
      line(
        item.at,
        item.proven,
        `${item.path ?? 'a file that is not in the library'} ${short(item.hash)}${inRevision(item)}${item.draft ? ' (draft)' : ''}${item.by === 'host' ? ' by the host' : ''}`,
      ),
    ),
    ...section('Declared', declared, (item) =>
      line(
        item.at,
        item.proven,
        `${item.path} ${short(item.rule_hash)}${inRevision(item)}, constraint ${short(item.constraint_hash)}${item.loaded ? '' : ' (never loaded)'}${item.stale ? ' (stale)' : ''}`,
      ),
    ),
    ...section('Turns ended', turns, ({ at, proven, outcome }) => line(at, proven, outcome)),
  ];
}

function describeState({ revision, entry, at, recorded_by, proven, count, files, gone }: InForce): string[] {
  const why = proven ? `, as entry ${recorded_by} recorded` : '';
  return [
    `In force from entry ${entry} on (${isoTime(at)}): revision ${revision}, ${count} files, ${basis(proven)}${why}`,
    ...files.map((file) => `  ${file.path} ${short(file.hash)} revision ${file.revision}`),
    ...gone.map((path) => `  ${path} was taken away`),
  ];
}

function section<Item>(title: string, items: readonly Item[], show: (item: Item) => string): string[] {
  return items.length === 0 ? [`${title}: nothing`] : [`${title}:`, ...items.map(show)];
}
