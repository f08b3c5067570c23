import type { HostName } from '@infold/protocol';
import { type Context, Hono } from 'hono';
import type { CallServices } from '../call/services.ts';
import type { HookReceiver } from '../hooks/delivery/receive.ts';
import { DIALECTS } from '../hooks/dialects/index.ts';
import { InfoldError } from '../kernel/errors.ts';
import { requireScope } from '../trust/access/rule.ts';
import type { Caller } from '../trust/identity/caller.ts';
import { accepts, readText } from './requests.ts';

/** `POST /hooks/HOST`: the payload of a host that calls an address in place of a program. */
export function hookRoutes(
  { config }: CallServices,
  receiver: HookReceiver,
  callerOf: (context: Context) => Caller,
): Hono {
  const app = new Hono();
  app.post('/hooks/:host', accepts('event'), async (context) => {
    const caller = callerOf(context);
    requireScope(caller, 'write');
    const host = hostNamed(context.req.param('host'));
    const payload = await readText(context, config.limits.requestBytes);
    const event = context.req.query('event');
    const report = { host, payload, ...(event === undefined ? {} : { event }) };
    const { text } = await receiver.receive(report, caller, context.req.raw.signal);
    if (text === '') return context.json({});
    const isJson = text.startsWith('{');
    return context.body(text, 200, {
      'Content-Type': isJson ? 'application/json' : 'text/plain; charset=utf-8',
    });
  });
  return app;
}

function hostNamed(name: string): HostName {
  if (Object.hasOwn(DIALECTS, name)) return name as HostName;
  const known = Object.keys(DIALECTS).join(', ');
  throw new InfoldError(
    'not_found',
    `There is no host "${name.slice(0, 40)}" with hooks. There are: ${known}`,
  );
}
