import { type HubManifest, type ManifestFile, META_PROMPT_PATH } from '@infold/protocol';
import { InfoldError } from '../../kernel/errors.ts';
import { ownerIn } from '../../trust/identity/caller.ts';
import { type MirrorPortion, mirrorFiles } from '../commands/mirror.ts';
import type { PublishTarget } from '../commands/publish.ts';
import { commitToLibrary } from '../commit.ts';
import { allFiles, revisionOf, textByHash } from '../queries/files.ts';
import { filesByIds, type HubLink, knownTexts, mirroredRevision } from '../queries/hub.ts';
import { checkManifest, checkText, checkTotal, digestAfter } from './check-manifest.ts';
import { type HubClient, hubInvalid } from './client.ts';
import { hubName } from './credentials.ts';
import type { EdgeWork } from './work.ts';

/** A portion is one publication: so many files, or characters. */
const PORTION_FILES = 1000;
const PORTION_CHARACTERS = 6_000_000;
const REQUESTS_AT_ONCE = 4;
const TRIES = 4;

type Manifest = Omit<HubManifest, 'next'>;

/** The whole manifest, of one revision. A hub that publishes faster than it can be read is left for later. */
export async function readManifest(
  client: HubClient,
  link: HubLink,
  { since, ...more }: { since: number; edge: string; seen?: number | undefined },
): Promise<Manifest> {
  const query = { project: link.hub_project_id, since, ...more };
  for (let tries = 0; tries < TRIES; tries++) {
    const first = await client.manifest(query);
    if (first.hub.id !== link.hub_id) {
      throw hubInvalid(`another hub answers at ${link.hub_url}; "infold hub leave", then join it`);
    }
    if (first.project.id !== link.hub_project_id) throw hubInvalid('it answers for another project');
    if (first.since !== since && first.since !== 0) throw hubInvalid(`it answers since ${first.since}`);
    const files = await furtherFiles(client, query, first);
    if (files) return { ...first, files };
  }
  throw new InfoldError('hub_unreachable', 'The hub changes its library faster than it can be read', {
    retryable: true,
  });
}

/** Undefined where the library has changed between two pages. */
async function furtherFiles(
  client: HubClient,
  query: Parameters<HubClient['manifest']>[0],
  first: HubManifest,
): Promise<ManifestFile[] | undefined> {
  const files = [...first.files];
  for (let cursor = first.next; cursor !== null; ) {
    let page: HubManifest;
    try {
      page = await client.manifest({ ...query, cursor });
    } catch (error) {
      if (InfoldError.isInstance(error) && error.code === 'conflict') return undefined;
      throw error;
    }
    if (page.revision !== first.revision || page.next === cursor) return undefined;
    files.push(...page.files);
    cursor = page.next;
    if (files.length > MOST_FILES) throw hubInvalid(`it has more than ${MOST_FILES} files`);
  }
  return files;
}

/** Whatever the limit: pages without end are not read. */
const MOST_FILES = 1_000_000;

/**
 * Makes the copy what the hub's library is. What is wrong is refused before anything is written; a copy that has taken another
 * way, or a hub that was restored, is found by the digest, and then everything is compared.
 */
export async function mirrorLibrary(
  work: EdgeWork,
  client: HubClient,
  link: HubLink,
  given: Manifest,
  draftIds: readonly string[],
): Promise<{ changed: number; revision: number }> {
  const { journal, limits, scrubber, edgeId } = work;
  const { database } = journal;
  const mirrored = mirroredRevision(database, link.workspace_id);
  let manifest = given;
  const isCurrent = mirrored?.revision === given.revision && mirrored.digest === given.digest;
  if (isCurrent && given.files.length === 0 && draftIds.length === 0) {
    return { changed: 0, revision: given.revision };
  }
  checkManifest(manifest.files, limits, scrubber);
  const gives = (next: Manifest) => digestAfter(database, link.workspace_id, next) === next.digest;
  if (!gives(manifest)) {
    if (manifest.since === 0) throw hubInvalid('its digest is not that of its files');
    manifest = await readManifest(client, link, { since: 0, edge: edgeId });
    checkManifest(manifest.files, limits, scrubber);
    if (!gives(manifest)) throw hubInvalid('its digest is not that of its files');
  }
  checkTotal(database, link.workspace_id, manifest, limits);
  const files = manifest.since === 0 ? withGone(work, link, manifest.files) : manifest.files;
  const hub = { revision: manifest.revision, digest: manifest.digest };
  let changed = 0;
  const texts = new Texts(work, client, link);
  let next = texts.portion(inOrder(work, link, files));
  for (;;) {
    const portion = await next;
    const isLast = portion.rest.length === 0;
    // The next texts are on their way while these are written.
    if (!isLast) next = texts.portion(portion.rest);
    next.catch(() => {});
    const what = { files: portion.files, ...(isLast && { hub, draftIds }) };
    changed += await publishPortion(work, link, what, portion.texts);
    if (isLast) return { changed, revision: manifest.revision };
  }
}

/** Where all files are named, those that are not have gone. */
function withGone({ journal }: EdgeWork, link: HubLink, files: readonly ManifestFile[]): ManifestFile[] {
  const named = new Set(files.map(({ id }) => id));
  const gone = allFiles(journal.database, link.workspace_id)
    .filter(({ id }) => !named.has(id))
    .map(({ id, path, kind, hash }): ManifestFile => ({ id, path, kind, hash, gone: true }));
  return [...gone, ...files];
}

interface Planned {
  file: ManifestFile;
  /** It takes a path, or gives one up: such files belong into one publication, because others may want the path. */
  moves: boolean;
}

/** Those that go or move first, then the meta prompt, then the others; those that are here already not at all. */
function inOrder({ journal }: EdgeWork, link: HubLink, files: readonly ManifestFile[]): Planned[] {
  const known = filesByIds(
    journal.database,
    link.workspace_id,
    files.map(({ id }) => id),
  );
  const planned = files.flatMap((file): Planned[] => {
    const before = known.get(file.id);
    const isHere = before?.deleted === 0;
    if (file.gone) return isHere ? [{ file, moves: true }] : [];
    const moves = isHere && before.path !== file.path;
    const isSame = isHere && !moves && before.hash === file.hash && before.kind === file.kind;
    return isSame ? [] : [{ file, moves }];
  });
  const rank = ({ file, moves }: Planned) => (moves ? 0 : file.id === META_PROMPT_PATH ? 1 : 2);
  return planned.sort((one, other) => rank(one) - rank(other));
}

interface FetchedPortion {
  files: ManifestFile[];
  texts: Map<string, string>;
  rest: Planned[];
}

/** Fetches texts that are not here, and checks each of them. */
class Texts {
  readonly #work: EdgeWork;
  readonly #client: HubClient;
  readonly #link: HubLink;
  #bytes = 0;

  constructor(work: EdgeWork, client: HubClient, link: HubLink) {
    this.#work = work;
    this.#client = client;
    this.#link = link;
  }

  /** The next files that are published together, with their texts. */
  async portion(planned: readonly Planned[]): Promise<FetchedPortion> {
    const moving = planned.filter(({ moves }) => moves).length;
    const first = planned.slice(0, Math.max(moving, PORTION_FILES));
    const texts = await this.#fetch(first.map(({ file }) => file));
    let characters = 0;
    const end = first.findIndex(({ file, moves }) => {
      characters += texts.get(file.hash)?.length ?? 0;
      return !moves && characters > PORTION_CHARACTERS;
    });
    const count = end <= 0 ? first.length : end;
    return { files: first.slice(0, count).map(({ file }) => file), texts, rest: planned.slice(count) };
  }

  async #fetch(files: readonly ManifestFile[]): Promise<Map<string, string>> {
    const { journal, limits } = this.#work;
    const present = files.filter(({ gone }) => !gone);
    const known = knownTexts(
      journal.database,
      present.map(({ hash }) => hash),
    );
    const wanted = new Map<string, ManifestFile[]>();
    for (const file of present) {
      if (!known.has(file.hash)) wanted.set(file.hash, [...(wanted.get(file.hash) ?? []), file]);
    }
    const texts = new Map<string, string>();
    const hashes = [...wanted.keys()];
    const chunks = Array.from({ length: Math.ceil(hashes.length / limits.hubTextsPerAnswer) }, (_, index) =>
      hashes.slice(index * limits.hubTextsPerAnswer, (index + 1) * limits.hubTextsPerAnswer),
    );
    const workers = Array.from({ length: Math.min(REQUESTS_AT_ONCE, chunks.length) }, async () => {
      for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) await this.#chunk(chunk, wanted, texts);
    });
    await Promise.all(workers);
    return texts;
  }

  async #chunk(
    hashes: readonly string[],
    wanted: ReadonlyMap<string, ManifestFile[]>,
    texts: Map<string, string>,
  ): Promise<void> {
    const { limits, scrubber } = this.#work;
    const { files } = await this.#client.texts(this.#link.hub_project_id, hashes);
    for (const { hash, text } of files) {
      // One text may be that of several files, of which the meta prompt may be one.
      for (const file of hashes.includes(hash) ? wanted.get(hash)! : [])
        checkText(file, text, limits, scrubber);
      this.#bytes += text.length;
      texts.set(hash, text);
    }
    const missing = hashes.find((hash) => !texts.has(hash));
    if (missing !== undefined) throw hubInvalid(`it does not send the content ${missing}`);
    if (this.#bytes > limits.hubLibraryBytes) {
      throw hubInvalid(`its files have more than ${limits.hubLibraryBytes} bytes (limits.hubLibraryBytes)`);
    }
  }
}

async function publishPortion(
  { journal }: EdgeWork,
  link: HubLink,
  portion: MirrorPortion,
  texts: ReadonlyMap<string, string>,
): Promise<number> {
  const target: PublishTarget = {
    ...{ workspaceId: link.workspace_id, org: link.org, projectId: link.project_id },
    // What the hub has published is in force there, whatever another version would have said.
    validators: [],
    hubUrl: link.hub_url,
  };
  const caller = ownerIn(link.org, hubName(link.hub_url));
  const ids = portion.files.map(({ id }) => id);
  const { changes } = await commitToLibrary({ journal, caller }, link.workspace_id, (database) =>
    mirrorFiles(
      {
        revision: revisionOf(database, link.workspace_id),
        known: filesByIds(database, link.workspace_id, ids),
        texts: { get: (hash) => texts.get(hash) ?? textByHash(database, hash) },
      },
      target,
      portion,
    ),
  );
  return changes.length;
}
