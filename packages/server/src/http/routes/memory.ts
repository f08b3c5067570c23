import { contextInput, relateInput, rememberInput, synthesisInput } from '@infold/protocol';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { InfoldError } from '../../kernel/errors.ts';
import type { CallServices } from '../../mcp/call.ts';
import { describeIssue } from '../../mcp/validation.ts';
import { Importer } from '../../memory/ingest/importer.ts';
import { parseLine, readLine } from '../../memory/ingest/lines.ts';
import { contextPack, readerFor } from '../../memory/pack/service.ts';
import { addRelation, relatedTo, searchItems, showItem } from '../../memory/search.ts';
import { synthesisPlan } from '../../memory/synthesis/plan.ts';
import { rememberItem } from '../../memory/tools.ts';
import { requireScope } from '../../trust/access.ts';
import type { Caller } from '../../trust/caller.ts';
import type { Scope } from '../../trust/identity/events.ts';
import { scrubValue } from '../../trust/scrubbing.ts';
import { pageLimit, readJson, readText } from '../requests.ts';

export type MemoryRouteServices = Pick<CallServices, 'journal' | 'config' | 'clock' | 'scrubber'>;

const importBody = z.object({
  items: z.array(z.unknown()).min(1),
  project: z.string().min(1).max(4096).optional(),
  dry_run: z.boolean().optional(),
});

/** Memory for consoles and scripts: search, items, imports, packs. */
export function memoryRoutes(services: MemoryRouteServices, callerOf: (context: Context) => Caller): Hono {
  const { journal, config, scrubber, clock } = services;
  const { database } = journal;
  const app = new Hono();

  const callerWith = (context: Context, scope: Scope): Caller => {
    const caller = callerOf(context);
    requireScope(caller, scope);
    return caller;
  };
  const read = async <Schema extends z.ZodType>(
    context: Context,
    schema: Schema,
  ): Promise<z.output<Schema>> => check(schema, await readJson(context, config.limits));
  const readerOf = (context: Context, caller: Caller) =>
    readerFor(
      services,
      { caller },
      { project: context.req.query('project'), agent_id: context.req.query('agent_id') },
    );

  app.get('/memory/search', (context) => {
    const caller = callerWith(context, 'read');
    const query = (context.req.query('q') ?? '').trim();
    if (query === '') throw new InfoldError('invalid_arguments', 'q is required: what to search for');
    if (query.length > config.limits.goalCharacters) {
      throw new InfoldError(
        'invalid_arguments',
        `q is longer than ${config.limits.goalCharacters} characters`,
      );
    }
    const items = searchItems(database, {
      query,
      domain: context.req.query('domain') ?? null,
      limit: pageLimit(context, 24, 200),
      now: clock(),
      reader: readerOf(context, caller),
    });
    return context.json({ items, next: null });
  });

  app.get('/memory/items/:id', (context) => {
    const caller = callerWith(context, 'read');
    return context.json(showItem(database, readerOf(context, caller), context.req.param('id')));
  });

  app.get('/memory/items/:id/related', (context) => {
    const caller = callerWith(context, 'read');
    const related = relatedTo(database, readerOf(context, caller), context.req.param('id'));
    return context.json({ related, next: null });
  });

  app.post('/memory/items/:id/relations', async (context) => {
    const caller = callerWith(context, 'write');
    const relation = await read(context, relateInput);
    const reader = readerOf(context, caller);
    return context.json(await addRelation(journal, caller, reader, context.req.param('id'), relation));
  });

  app.post('/memory/items', async (context) => {
    const caller = callerWith(context, 'write');
    const input = scrubbed(await read(context, rememberInput));
    const answer = await rememberItem(journal, caller, input);
    return context.json(answer, answer.created ? 201 : 200);
  });

  app.post('/memory/import', async (context) => {
    const caller = callerWith(context, 'write');
    const isLines = /ndjson|jsonl|text\/plain/.test(context.req.header('content-type') ?? '');
    const text = isLines ? await readText(context, config.limits.requestBytes) : undefined;
    const body = text === undefined ? await read(context, importBody) : undefined;
    const importer = new Importer({
      journal,
      scrubber,
      caller,
      project: body?.project ?? context.req.query('project'),
      dryRun: body?.dry_run ?? context.req.query('dry_run') === 'true',
    });
    const parsed =
      body?.items.map(readLine) ??
      text!.split('\n').map((line) => (line.trim() === '' ? undefined : parseLine(line)));
    for (const [index, line] of parsed.entries()) {
      if (line === undefined) continue;
      if ('line' in line) await importer.add(index + 1, line.line);
      else importer.refuse(index + 1, line.problem);
    }
    return context.json(await importer.finish());
  });

  app.post('/packs', async (context) => {
    const caller = callerWith(context, 'read');
    const { pack, notices } = await contextPack(services, { caller }, await read(context, contextInput));
    return context.json({ ...pack, ...(notices.length > 0 ? { notices } : {}) });
  });

  app.post('/synthesis', async (context) => {
    const caller = callerWith(context, 'read');
    const { plan } = await synthesisPlan(services, { caller }, await read(context, synthesisInput));
    return context.json(plan);
  });

  /** KERN-12: bodies do not pass the tools' scrubber. */
  function scrubbed<Value>(value: Value): Value {
    return scrubValue(scrubber, value).value;
  }

  return app;
}

function check<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.slice(0, 5).map(describeIssue);
  throw new InfoldError('invalid_arguments', `Invalid request: ${problems.join('; ')}`, {
    details: { problems },
  });
}
