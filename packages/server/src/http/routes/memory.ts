import { contextInput, relateInput, rememberInput, synthesisInput } from '@infold/protocol';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { CallServices } from '../../call/services.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { Importer } from '../../memory/ingest/importer.ts';
import { LineReader } from '../../memory/ingest/lines.ts';
import { contextPack, readerFor } from '../../memory/pack/service.ts';
import { addRelation, relatedTo, searchItems, showItem } from '../../memory/search.ts';
import { synthesisPlan } from '../../memory/synthesis/plan.ts';
import { rememberItem } from '../../memory/tools.ts';
import { ITEM_NAMES } from '../../memory/write.ts';
import { requireScope } from '../../trust/access.ts';
import type { Caller } from '../../trust/caller.ts';
import { checkNames, withNames } from '../../trust/identifiers.ts';
import type { Scope } from '../../trust/identity/events.ts';
import { scrubValue } from '../../trust/scrubbing.ts';
import { accepts, badParameter, checkBody, pageLimit, readJson, readText } from '../requests.ts';

export type MemoryRouteServices = Pick<
  CallServices,
  'journal' | 'config' | 'clock' | 'scrubber' | 'limiter' | 'turns'
>;

const asReader = accepts('project', 'agent_id');

const importBody = z.object({
  items: z.array(z.unknown()).min(1),
  project: z.string().min(1).max(4096).optional(),
  dry_run: z.boolean().optional(),
});

/** Memory for consoles and scripts: search, items, imports, packs. */
export function memoryRoutes(services: MemoryRouteServices, callerOf: (context: Context) => Caller): Hono {
  const { journal, config, scrubber, clock, limiter } = services;
  const giveWayFor = (caller: Caller) => () => services.turns.giveWay(caller);
  const packServicesFor = (caller: Caller) => ({
    journal,
    scrubber,
    clock,
    limits: config.limits,
    giveWay: giveWayFor(caller),
  });
  const { database } = journal;
  const app = new Hono();
  const inputs = {
    remember: rememberInput(config.limits),
    context: contextInput(config.limits),
    synthesis: synthesisInput(config.limits),
  };
  const lines = new LineReader(config.limits);

  const callerWith = (context: Context, scope: Scope): Caller => {
    const caller = callerOf(context);
    requireScope(caller, scope);
    return caller;
  };
  const read = async <Schema extends z.ZodObject>(
    context: Context,
    schema: Schema,
  ): Promise<z.output<Schema>> => checkBody(schema, await readJson(context, config.limits));
  const readerOf = (context: Context, caller: Caller) =>
    readerFor(
      services,
      { caller },
      { project: context.req.query('project'), agent_id: context.req.query('agent_id') },
    );

  app.get('/memory/search', accepts('q', 'project', 'agent_id', 'domain', 'limit'), async (context) => {
    const caller = callerWith(context, 'read');
    const query = (context.req.query('q') ?? '').trim();
    if (query === '') throw new InfoldError('invalid_arguments', 'q is required: what to search for');
    if (query.length > config.limits.goalCharacters) {
      throw new InfoldError(
        'invalid_arguments',
        `q is longer than ${config.limits.goalCharacters} characters`,
      );
    }
    const items = await searchItems(database, {
      query,
      domain: context.req.query('domain') ?? null,
      limit: pageLimit(context, 24, 200),
      now: clock(),
      reader: readerOf(context, caller),
      giveWay: giveWayFor(caller),
    });
    return context.json({ items, next: null });
  });

  app.get('/memory/items/:id', asReader, (context) => {
    const caller = callerWith(context, 'read');
    return context.json(showItem(database, readerOf(context, caller), context.req.param('id')));
  });

  app.get('/memory/items/:id/related', asReader, (context) => {
    const caller = callerWith(context, 'read');
    const related = relatedTo(database, readerOf(context, caller), context.req.param('id'));
    return context.json({ related, next: null });
  });

  app.post('/memory/items/:id/relations', asReader, async (context) => {
    const caller = callerWith(context, 'write');
    const relation = await read(context, relateInput);
    const reader = readerOf(context, caller);
    return context.json(await addRelation(journal, caller, reader, context.req.param('id'), relation));
  });

  app.post('/memory/items', accepts(), async (context) => {
    const caller = callerWith(context, 'write');
    const input = scrubbed(await read(context, inputs.remember), ITEM_NAMES);
    limiter.spend(caller, 'remembers');
    const { item: answer } = await rememberItem(journal, caller, input);
    return context.json(answer, answer.created ? 201 : 200);
  });

  app.post('/memory/import', accepts('project', 'dry_run'), async (context) => {
    const caller = callerWith(context, 'write');
    const isLines = /ndjson|jsonl|text\/plain/.test(context.req.header('content-type') ?? '');
    const text = isLines ? await readText(context, config.limits.requestBytes) : undefined;
    const body = text === undefined ? await read(context, importBody) : undefined;
    const dryRun = body?.dry_run ?? isDryRun(context.req.query('dry_run'));
    const project = body?.project ?? context.req.query('project');
    const importer = new Importer({
      journal,
      scrubber,
      caller,
      project,
      dryRun,
      giveWay: giveWayFor(caller),
    });
    const given: readonly unknown[] = body?.items ?? text!.split('\n');
    if (!dryRun) limiter.spend(caller, 'remembers', given.length);
    for (const [index, one] of given.entries()) {
      if (text !== undefined && (one as string).trim() === '') continue;
      const line = text === undefined ? lines.read(one) : lines.parse(one as string);
      if ('line' in line) await importer.add(index + 1, line.line);
      else importer.refuse(index + 1, line.problem);
    }
    return context.json(await importer.finish());
  });

  app.post('/packs', accepts(), async (context) => {
    const caller = callerWith(context, 'read');
    const { pack, notices } = await contextPack(
      packServicesFor(caller),
      { caller },
      await read(context, inputs.context),
    );
    return context.json({ ...pack, ...(notices.length > 0 ? { notices } : {}) });
  });

  app.post('/synthesis', accepts(), async (context) => {
    const caller = callerWith(context, 'read');
    const { plan } = await synthesisPlan(
      packServicesFor(caller),
      { caller },
      await read(context, inputs.synthesis),
    );
    return context.json(plan);
  });

  /** KERN-12: bodies do not pass the tools' scrubber. */
  function scrubbed<Value>(value: Value, names: readonly string[]): Value {
    checkNames(scrubber, value, names);
    return withNames(scrubValue(scrubber, value).value, value, names);
  }

  return app;
}

function isDryRun(text: string | undefined): boolean {
  if (text === undefined || text === 'false') return false;
  if (text === 'true') return true;
  throw badParameter('dry_run', `must be true or false; it was "${text.slice(0, 50)}"`);
}
