import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import type { Entry, Journal } from '../journal/journal.ts';
import type { ResourceContent } from '../trust/content.ts';
import { type ResourceDefinition, resourceId, resourceUri } from '../trust/resource.ts';
import type { ToolContext } from '../trust/tool.ts';

type Listener = (uri: string) => void;

/**
 * Everything that can be read under `infold://`, and who is told when it changes. The journal is watched only
 * while somebody listens.
 */
export class ResourceHub {
  readonly definitions: readonly ResourceDefinition[];
  readonly #journal: Journal;
  readonly #listeners = new Set<Listener>();
  #stopWatching: (() => void) | undefined;

  constructor(journal: Journal, definitions: readonly ResourceDefinition[]) {
    this.#journal = journal;
    this.definitions = definitions;
  }

  /** Undefined when there is no such resource for this caller. */
  read(uri: string, context: ToolContext): ResourceContent | undefined {
    for (const definition of this.definitions) {
      const id = resourceId(definition, uri);
      const content = id === undefined ? undefined : definition.read(id, context);
      if (content) return { uri, mimeType: definition.mimeType, ...content };
    }
    return undefined;
  }

  list(context: ToolContext) {
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
  complete(template: string, typed: string, context: ToolContext): string[] | undefined {
    const definition = this.definitions.find((one) => one.template === template);
    if (definition?.complete) return definition.complete(typed, context);
    return definition
      ?.list(context)
      .map(({ id }) => id)
      .filter((id) => id.startsWith(typed));
  }

  /** Calls `listener` with the address of each resource that changes; returns the way to stop. */
  listen(listener: Listener): () => void {
    this.#stopWatching ??= this.#journal.watch((entry) => this.#tell(entry));
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#stopWatching?.();
      this.#stopWatching = undefined;
    };
  }

  /** The SDK's modern subscriptions take their events from here. */
  bus(): ServerEventBus {
    return {
      publish: () => {},
      subscribe: (listener: (event: ServerEvent) => void) =>
        this.listen((uri) => listener({ kind: 'resource_updated', uri })),
    };
  }

  #tell(entry: Entry): void {
    for (const definition of this.definitions) {
      for (const id of definition.changedBy(entry, this.#journal.database)) {
        const uri = resourceUri(definition, id);
        for (const listener of this.#listeners) listener(uri);
      }
    }
  }
}
