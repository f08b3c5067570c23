import { type ActionShape, API, ROUTES } from '@infold/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { testConfig, testServices } from '../testing/fixtures.suite.ts';
import { createHttpApp } from './app.ts';
import { Metrics } from './metrics.ts';

async function setUp() {
  const config = testConfig({ toolsets: ['fold', 'library', 'memory', 'transient', 'gateway'] });
  const services = await testServices({ config });
  const app = createHttpApp({
    ...services,
    metrics: new Metrics(services.journal),
    ready: () => true,
  });
  onTestFinished(async () => {
    await app.close();
    await services.settle();
  });
  const response = await app.fetch(
    new Request('http://localhost/api/openapi.json', { headers: { host: 'localhost' } }),
  );
  const document = (await response.json()) as {
    openapi: string;
    paths: Record<string, Record<string, { operationId?: string; parameters?: { name: string }[] }>>;
  };
  return { app, document };
}

test('every route is described, and nothing else', async () => {
  verifies('KERN-19');
  const { app, document } = await setUp();
  const served = app.routes
    .filter(({ method, path }) => method !== 'ALL' && !path.startsWith('/.well-known'))
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)(\{[^}]*\})?/g, '{$1}')}`);
  // MCP takes every method at one address; these are the ones that it answers.
  const expected = new Set([...served, 'GET /mcp', 'POST /mcp', 'DELETE /mcp']);
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(described.toSorted()).toEqual([...expected].toSorted());
  expect(document.openapi).toBe('3.1.0');
});

test('each operation is named as the client’s method, and has its fields in their places', async () => {
  const { document } = await setUp();
  for (const [name, { method, path }] of Object.entries(ROUTES)) {
    const operation = document.paths[path]?.[method.toLowerCase()];
    expect(operation?.operationId, path).toBe(name);
    for (const [, field] of path.matchAll(/\{(\w+)\}/g)) {
      expect(
        operation?.parameters?.map((parameter) => parameter.name),
        path,
      ).toContain(field);
    }
  }
  expect(document.paths['/api/sessions']!.get!.parameters!.map(({ name }) => name)).toEqual([
    'project',
    'q',
    'limit',
    'cursor',
  ]);
});

test('an action has one name everywhere', () => {
  for (const [name, shape] of Object.entries<ActionShape>(API)) {
    const camel = shape.name.replaceAll(/[._](\w)/g, (_, letter: string) => letter.toUpperCase());
    expect(name).toBe(camel);
    expect(shape.route).toBe((ROUTES as Record<string, unknown>)[name]);
  }
  expect(Object.keys(ROUTES).filter((name) => !(name in API))).toEqual([]);
});

test('refers to nothing that is not there', async () => {
  const { document } = await setUp();
  const { schemas } = (document as unknown as { components: { schemas: Record<string, unknown> } })
    .components;
  const text = JSON.stringify(document);
  const targets = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, target]) => target!);
  expect(targets.length).toBeGreaterThan(10);
  for (const target of new Set(targets)) {
    expect(Object.keys(schemas)).toContain(target.replace('#/components/schemas/', ''));
  }
  expect(text).not.toContain('$defs');
});
