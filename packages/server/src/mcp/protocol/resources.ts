import type { ResourceContent } from '../../call/content.ts';
import type { CallContext } from '../../call/context.ts';
import { type ResourceDefinition, resourceId, resourceUri } from '../../call/resource.ts';
import type { Entry, Journal } from '../../journal/journal.ts';

/** Everything that can be read under `infold://`, and what of it an entry of the journal changes. */
export class ResourceHub {
  readonly definitions: readonly ResourceDefinition[];
  readonly #journal: Journal;
  /** Everybody who follows the journal asks about the same entry in turn. */
  #last: { entry: Entry; uris: readonly string[] } | undefined;

  constructor(journal: Journal, definitions: readonly ResourceDefinition[]) {
    this.#journal = journal;
    this.definitions = definitions;
  }

  /** Undefined when there is no such resource for this caller. */
  read(uri: string, context: CallContext): ResourceContent | undefined {
    for (const definition of this.definitions) {
      const id = resourceId(definition, uri);
      const content = id === undefined ? undefined : definition.read(id, context);
      if (content) return { uri, mimeType: definition.mimeType, ...content };
    }
    return undefined;
  }

  list(context: CallContext) {
    return this.definitions.flatMap((definition) =>
      definition.list(context).map(({ id, title }) => ({
        uri: resourceUri(definition, id),
        name: `${definition.name}-${id}`,
        title,
        mimeType: definition.mimeType,
      })),
    );
  }

  templates() {
    return this.definitions.map(({ template, name, title, description, mimeType }) => ({
      uriTemplate: template,
      name,
      title,
      description,
      mimeType,
    }));
  }

  /** Undefined when there is no such template. */
  complete(template: string, typed: string, context: CallContext): string[] | undefined {
    const definition = this.definitions.find((one) => one.template === template);
    if (definition?.complete) return definition.complete(typed, context);
    return definition
      ?.list(context)
      .map(({ id }) => id)
      .filter((id) => id.startsWith(typed));
  }

  /** Addresses of the resources that an entry changed. */
  changedBy(entry: Entry): readonly string[] {
    if (this.#last?.entry !== entry) {
      const uris = this.#shownTo(entry).flatMap((definition) =>
        definition.changedBy(entry, this.#journal.database).map((id) => resourceUri(definition, id)),
      );
      this.#last = { entry, uris };
    }
    return this.#last.uris;
  }

  relistedBy(entry: Entry, contextOf: () => CallContext): boolean {
    return this.#shownTo(entry).some((definition) => definition.relistedBy?.(entry, contextOf));
  }

  #shownTo({ stream }: Entry): readonly ResourceDefinition[] {
    return this.definitions.filter(({ streams }) => stream.startsWith(streams));
  }
}
