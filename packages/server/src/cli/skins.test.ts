import type { Route } from '@infold/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { verifies } from '../../../../test/requirements.ts';
import { type Action, type BoundAction, bindAction } from '../call/action.ts';
import { unwrapped } from '../call/text-arguments.ts';
import { createHttpApp } from '../http/app.ts';
import { Metrics } from '../http/metrics.ts';
import { DOORS } from '../kernel/config.ts';
import type { InfoldError } from '../kernel/errors.ts';
import { callTool } from '../mcp/tools/call.ts';
import { callOf, errorOf, testConfig, testServices } from '../testing/fixtures.suite.ts';
import { localOwner } from '../trust/identity/caller.ts';
import { callsOf } from './services/calls.ts';
import { createRegistry } from './services/registry.ts';

type Input = Record<string, unknown>;
interface Refusal {
  code: unknown;
  sentence: unknown;
}
/** One way to ask for an action. */
type Skin = (action: BoundAction, input: Input) => Promise<Refusal>;

/** What some field or other cannot hold. */
const BAD: readonly unknown[] = [
  'no such thing',
  'x'.repeat(5000),
  'two\nlines',
  'x'.repeat(300_000),
  [{}],
  {},
  7,
];

async function setUp() {
  const config = testConfig({ toolsets: [...DOORS] });
  const registry = createRegistry(config);
  const services = { ...(await testServices({ config })), registry };
  const metrics = new Metrics(services.journal);
  const app = createHttpApp({ ...services, metrics, ready: () => true });
  onTestFinished(async () => {
    await app.close();
    await services.settle();
  });
  const tool: Skin = async ({ name }, input) => {
    const outcome = await callTool(services, callOf(name, input));
    if ('failure' in outcome) return refusalOf(outcome.failure);
    const { structuredContent, content } = outcome.result;
    return { code: structuredContent.code, sentence: content[0].text };
  };
  const route: Skin = async (action, input) => {
    const served = action.served?.shape ?? action.input.shape;
    const given = Object.fromEntries(Object.entries(input).filter(([name]) => name in served));
    const response = await app.fetch(requestFor(action.route!, given));
    const { code, error } = (await response.json()) as { code: string; error: string };
    return { code, sentence: error };
  };
  const call = callsOf(services, localOwner);
  const command: Skin = async (action, input) => refusalOf(await errorOf(() => call(action, input)));
  const tools: readonly Action[] = registry.tools.map(({ action }) => action);
  const actions = new Map([...tools, ...services.actions].map((action) => [action.name, action]));
  return {
    actions: [...actions.values()].map((action) => bindAction(action, config.limits)),
    skinsOf: ({ name, route: served }: BoundAction): Record<string, Skin> => ({
      command,
      ...(tools.some((one) => one.name === name) && { tool }),
      ...(served && { route }),
    }),
  };
}

function refusalOf({ code, message }: InfoldError): Refusal {
  return { code, sentence: message };
}

const pathFields = ({ path }: Route) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

function requestFor(route: Route, input: Input): Request {
  const body = { ...input };
  const take = (name: string) => {
    const value = body[name];
    delete body[name];
    return encodeURIComponent(String(value));
  };
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => take(name));
  const named = route.method === 'POST' ? (route.query ?? []) : Object.keys(body);
  const query = named.filter((name) => name in body).map((name) => `${name}=${take(name)}`);
  return new Request(`http://localhost${path}?${query.join('&')}`, {
    method: route.method,
    headers: { host: 'localhost', 'content-type': 'application/json' },
    ...(route.method === 'POST' && { body: JSON.stringify(body) }),
  });
}

/** Whether every skin can say it: addresses know texts alone, and there and on a command line a text may be a list. */
function canSay({ route, input }: BoundAction, field: string, value: unknown): boolean {
  if (typeof value === 'string') return !(unwrapped(input.shape[field] as z.ZodType) instanceof z.ZodArray);
  if (!route) return true;
  return route.method === 'POST' && ![...pathFields(route), ...(route.query ?? [])].includes(field);
}

function badValueFor(action: BoundAction, field: string): unknown {
  const type = action.input.shape[field] as z.ZodType;
  return BAD.find((value) => canSay(action, field, value) && !type.safeParse(value).success);
}

test('the same bad value is refused with the same code and sentence, whoever asks', async () => {
  verifies('KERN-18');
  const { actions, skinsOf } = await setUp();
  /** Where nothing bad could be thought of. */
  const untried: string[] = [];
  let compared = 0;
  for (const action of actions) {
    const skins = Object.entries(skinsOf(action));
    const served = action.served?.shape ?? action.input.shape;
    /** What the address of a route makes unnecessary. */
    const unserved = Object.keys(action.input.shape).filter((name) => !(name in served));
    const given = Object.fromEntries(
      [...(action.route ? pathFields(action.route) : []), ...unserved].map((name) => [name, 'x']),
    );
    for (const field of Object.keys(action.input.shape)) {
      const { route: _, ...elsewhere } = action;
      const sayable = badValueFor(action, field);
      // An address says texts, and every text may name a project.
      const value = sayable ?? badValueFor(elsewhere, field);
      if (value === undefined) {
        untried.push(`${action.name}.${field}`);
        continue;
      }
      const asked = skins.filter(([name]) => name !== 'route' || (field in served && sayable !== undefined));
      const told = await Promise.all(
        asked.map(async ([name, ask]) => [name, await ask(action, { ...given, [field]: value })] as const),
      );
      const [[, first]] = told as [(typeof told)[number]];
      expect(first.code, `${action.name}.${field}`).toBe('invalid_arguments');
      expect(first.sentence).toMatch(new RegExp(`^Invalid arguments for ${action.name}: (.*; )?${field}\\b`));
      for (const [name, refusal] of told)
        expect(refusal, `${action.name}.${field} by ${name}`).toEqual(first);
      if (told.length > 1) compared++;
    }
  }
  expect(untried).toEqual([]);
  expect(compared).toBeGreaterThan(200);
});
