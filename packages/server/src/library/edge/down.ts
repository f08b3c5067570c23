import { type HubManifest, type ManifestFile, META_PROMPT_PATH } from '@infold/protocol';
import { InfoldError } from '../../kernel/errors.ts';
import { ownerIn } from '../../trust/identity/caller.ts';
import { type MirrorPortion, mirrorFiles } from '../commands/mirror.ts';
import type { PublishTarget } from '../commands/publish.ts';
import { commitToLibrary } from '../commit.ts';
import { allFiles, revisionOf, textByHash } from '../queries/files.ts';
import { bytesBeside, filesByIds, type HubLink, knownTexts, mirroredRevision } from '../queries/hub.ts';
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

/**
 * The whole manifest, of one revision. A hub that publishes faster than it can be read is left for later. What it says of itself and
 * of the edge is heard with the first page, whatever comes of the others.
 */
export async function readManifest(
  client: HubClient,
  link: HubLink,
  { since, ...more }: { since: number; edge: string; seen?: number | undefined },
  hear: (first: HubManifest) => void = () => {},
): Promise<Manifest> {
  const query = { project: link.hub_project_id, since, ...more };
  for (let tries = 0; tries < TRIES; tries++) {
    const first = await client.manifest(query);
    if (first.hub.id !== link.hub_id) {
      throw hubInvalid(`another hub answers at ${link.hub_url}; "infold hub leave", then join it`);
    }
    if (first.project.id !== link.hub_project_id) throw hubInvalid('it answers for another project');
    if (first.since !== since && first.since !== 0) throw hubInvalid(`it answers since ${first.since}`);
    hear(first);
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
  let page = first;
  for (let pages = 1; page.next !== null; pages++) {
    if (page.files.length === 0)
      throw hubInvalid('it has a page without files, and says that there are more');
    if (pages >= MOST_PAGES) throw hubInvalid(`it has more than ${MOST_PAGES} pages`);
    const cursor = page.next;
    try {
      page = await client.manifest({ ...query, cursor });
    } catch (error) {
      if (InfoldError.isInstance(error) && error.code === 'conflict') return undefined;
      throw error;
    }
    if (page.revision !== first.revision || page.next === cursor) return undefined;
    files.push(...page.files);
  }
  return files;
}

/** Whatever the limits: pages without end are not read. A hub answers with thousands of files on each. */
const MOST_PAGES = 1000;

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
  const planned = inOrder(work, link, files);
  const texts = new Texts(work, client, link, planned);
  let next = texts.portion(planned);
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

/** Fetches texts that are not here, and checks each text for the file that is to have it. */
class Texts {
  readonly #work: EdgeWork;
  readonly #client: HubClient;
  readonly #link: HubLink;
  /** Of the whole library, as far as it is known: of what stays as it is, and of the texts that were checked. */
  #bytes: number;

  constructor(work: EdgeWork, client: HubClient, link: HubLink, planned: readonly Planned[]) {
    this.#work = work;
    this.#client = client;
    this.#link = link;
    const changing = planned.map(({ file }) => file.id);
    this.#bytes = bytesBeside(work.journal.database, link.workspace_id, changing);
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
      // It may have been the text of a file that may hold more.
      if (known.has(file.hash)) this.#check(file, textByHash(journal.database, file.hash)!);
      else wanted.set(file.hash, [...(wanted.get(file.hash) ?? []), file]);
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
    const { files } = await this.#client.texts(this.#link.hub_project_id, hashes);
    const missing = new Set(hashes);
    for (const { hash, text } of files) {
      // What another request asks for is checked there: nothing is kept that was not.
      if (!hashes.includes(hash)) throw hubInvalid(`it sends the content ${hash}, which nobody asked for`);
      // One text may be that of several files, of which the meta prompt may be one.
      for (const file of wanted.get(hash)!) this.#check(file, text);
      missing.delete(hash);
      texts.set(hash, text);
    }
    for (const hash of missing) throw hubInvalid(`it does not send the content ${hash}`);
  }

  #check(file: ManifestFile, text: string): void {
    const { limits, scrubber } = this.#work;
    checkText(file, text, limits, scrubber);
    this.#bytes += Buffer.byteLength(text);
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
