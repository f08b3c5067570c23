import { type Route, servedInputOf } from '@infold/protocol';
import { type Context, Hono } from 'hono';
import type { z } from 'zod';
import type { Action, BoundAction } from '../call/action.ts';
import { refuseUnknown } from '../call/arguments.ts';
import type { Exported, ExportFormat } from '../call/exports.ts';
import { MIN_SEQ } from '../call/min-seq.ts';
import { perform } from '../call/perform.ts';
import type { CallServices } from '../call/services.ts';
import { fromText } from '../call/text-arguments.ts';
import type { Caller } from '../trust/identity/caller.ts';
import { Connection } from '../trust/sessions/resolve.ts';
import { errorResponse } from './errors.ts';
import { exportResponse } from './exports.ts';
import { accepts, readJson, readText } from './requests.ts';

interface RestAction extends BoundAction {
  route: Route;
}

/** Actions at the addresses that their shapes name. */
export function actionRoutes(
  services: CallServices,
  actions: readonly Action[],
  callerOf: (context: Context) => Caller,
): Hono {
  const app = new Hono();
  for (const action of actions) {
    if (!action.route) continue;
    const bound = {
      ...action,
      input: servedInputOf(action, services.config.limits),
      route: action.route,
    };
    const gather = inputReader(bound, services);
    const { method, path, rest } = bound.route;
    const address = path.replaceAll(/\{(\w+)\}/g, (_, name) => (name === rest ? `:${name}{.+}` : `:${name}`));
    app.on(method, address, accepts(...addressFields(bound)), async (context) => {
      const input = await gather(context);
      const { answer, failure, notices, state } = await perform(services, bound, {
        input,
        caller: callerOf(context),
        connection: Connection.alone(),
        get signal() {
          return context.req.raw.signal;
        },
      });
      const headers = {
        'X-Infold-Seq': String(services.journal.head().seq),
        ...(state ? { 'X-Context-State': JSON.stringify(state) } : {}),
      };
      if (failure) {
        const refusal = errorResponse(failure);
        refusal.headers.set('X-Infold-Seq', headers['X-Infold-Seq']);
        return refusal;
      }
      const { format } = input as { format?: 'json' | ExportFormat };
      if (bound.route.exports && format && format !== 'json') {
        return exportResponse(answer.structured as Exported, format, headers);
      }
      const told = notices.length > 0 ? { notices } : {};
      return context.json({ ...(answer.structured as object), ...told }, answer.isNew ? 201 : 200, headers);
    });
  }
  return app;
}

function pathFields({ path }: Route): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}

const hasBody = ({ method }: Route): boolean => method === 'POST';

/** What the address may say after its question mark. */
function addressFields({ route, input }: RestAction): string[] {
  if (hasBody(route)) return [...(route.query ?? []), ...(route.either ?? [])];
  const inPath = pathFields(route);
  return Object.keys(input.shape).filter((name) => !inPath.includes(name));
}

/** A request's input: what its path, its address and its body say. */
function inputReader(action: RestAction, { config }: CallServices) {
  const { route, input } = action;
  const elsewhere = [...pathFields(route), ...(route.query ?? [])];
  return async (context: Context): Promise<Record<string, unknown>> => {
    const body = hasBody(route) ? await bodyOf(context, route, config.limits) : {};
    refuseUnknown(input, body, elsewhere);
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return body as never;
    const given: Record<string, unknown> = { ...body };
    const meaning = (name: string, text: string) => fromText(input.shape[name] as z.ZodType, text);
    for (const [name, text] of Object.entries(context.req.query())) {
      if (name !== MIN_SEQ) given[name] ??= meaning(name, text);
    }
    for (const [name, text] of Object.entries(context.req.param())) given[name] = meaning(name, text);
    return given;
  };
}

async function bodyOf(
  context: Context,
  { lines }: Route,
  limits: CallServices['config']['limits'],
): Promise<unknown> {
  const type = context.req.header('content-type') ?? '';
  if (lines !== undefined && /ndjson|jsonl|text\/plain/.test(type)) {
    return { [lines]: await readText(context, limits.requestBytes) };
  }
  const isEmpty = context.req.header('content-length') === '0' || context.req.raw.body === null;
  return isEmpty ? {} : readJson(context, limits);
}
