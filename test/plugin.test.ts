import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createRegistry } from '../packages/server/src/cli/services/registry.ts';
import { DIALECTS } from '../packages/server/src/hooks/dialects/index.ts';
import { DOORS } from '../packages/server/src/kernel/config.ts';
import { testConfig } from '../packages/server/src/testing/fixtures.suite.ts';
import { verifies } from './requirements.ts';

/**
 * `plugin/` is one folder for several hosts, each of which reads other files of it. No schema is fetched here: these are
 * written down from what each host publishes, as named. `npm run test:hosts` asks the hosts' own validators.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const plugin = join(root, 'plugin');
const text = (path: string) => readFileSync(join(root, path), 'utf8');
const json = (path: string) => JSON.parse(text(path)) as Record<string, unknown>;
const { version } = json('packages/server/package.json');

const person = z.strictObject({
  name: z.string().min(1),
  email: z.string().optional(),
  url: z.string().optional(),
});
const about = {
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  description: z.string().min(1).max(200),
  author: person,
  license: z.string(),
  keywords: z.array(z.string()),
};
const kebab = z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/);
const inside = z.string().regex(/^\.\/(?!.*\.\.)/);

/** https://code.claude.com/docs/en/plugins-reference, and json.schemastore.org/claude-code-plugin-manifest.json. */
const claudePlugin = z.strictObject({ name: kebab, ...about });

/** https://code.claude.com/docs/en/plugin-marketplaces, and json.schemastore.org/claude-code-marketplace.json. */
const claudeMarketplace = z.strictObject({
  $schema: z.literal('https://json.schemastore.org/claude-code-marketplace.json'),
  name: kebab,
  owner: person,
  description: z.string(),
  plugins: z.array(
    z.strictObject({
      name: kebab,
      source: inside,
      version: about.version,
      description: about.description,
      license: z.string(),
    }),
  ),
});

/** Events and handlers as https://code.claude.com/docs/en/hooks names them; Codex took them over, and refuses other keys. */
const hookEvents = z.strictObject({
  description: z.string(),
  hooks: z.record(
    z.string(),
    z.array(
      z.strictObject({
        matcher: z.string().optional(),
        hooks: z.array(
          z.strictObject({ type: z.literal('command'), command: z.string(), timeout: z.number().positive() }),
        ),
      }),
    ),
  ),
});

/** What Codex 0.166 reads of `.codex-plugin/plugin.json`, by https://developers.openai.com/codex/plugins. */
const codexPlugin = z.strictObject({
  name: kebab,
  ...about,
  skills: inside,
  mcpServers: inside,
  hooks: inside,
  interface: z.strictObject({
    displayName: z.string(),
    shortDescription: z.string(),
    longDescription: z.string(),
    developerName: z.string(),
    category: z.string(),
    capabilities: z.array(z.string()),
  }),
});

/** Agent Plugins 1.0.0, sections 5 and 7: both schemas are closed. */
const AGENT_PLUGINS = 'https://agent-plugins.org/schemas/1.0.0';
const agentPlugin = z.strictObject({
  $schema: z.literal(`${AGENT_PLUGINS}/plugin.schema.json`),
  name: z
    .string()
    .max(64)
    .regex(/^(?!.*(--|\.\.))[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/),
  ...about,
  extensions: z.record(z.string().regex(/^[a-z]+(\.[a-z]+)+$/), z.record(z.string(), z.unknown())),
});
const agentServers = z.strictObject({
  $schema: z.literal(`${AGENT_PLUGINS}/mcp.schema.json`),
  mcpServers: z.record(
    kebab,
    z.strictObject({ type: z.literal('stdio'), command: z.string().min(1), args: z.array(z.string()) }),
  ),
});

const servers = z.record(kebab, z.strictObject({ command: z.string().min(1), args: z.array(z.string()) }));

/** Gemini CLI 0.61, docs/extensions/reference.md: names are lower case, with dashes. */
const geminiExtension = z.strictObject({
  name: kebab,
  version: about.version,
  description: z.string(),
  mcpServers: servers,
});

const FILES = {
  '.claude-plugin/marketplace.json': claudeMarketplace,
  'plugin/.claude-plugin/marketplace.json': claudeMarketplace,
  'plugin/.claude-plugin/plugin.json': claudePlugin,
  'plugin/.codex-plugin/plugin.json': codexPlugin,
  'plugin/plugin.json': agentPlugin,
  'plugin/mcp.json': agentServers,
  'plugin/.mcp.json': z.strictObject({ mcpServers: servers }),
  'plugin/gemini-extension.json': geminiExtension,
  'plugin/hooks/hooks.json': hookEvents,
  'plugin/hooks/codex.json': hookEvents,
};

describe('the plugin folder', () => {
  test.each(Object.entries(FILES))('%s has the shape that its host reads', (path, schema) => {
    expect(schema.safeParse(json(path)).error).toBeUndefined();
  });

  test('every file of JSON in it is checked', () => {
    const found = readdirSync(plugin, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.json'),
    );
    const checked = Object.keys(FILES).filter((path) => path.startsWith('plugin/'));
    expect(found.map((path) => `plugin/${path}`).sort()).toEqual(checked.sort());
  });

  test('says the same version and the same words everywhere', () => {
    const manifests = Object.keys(FILES)
      .map(json)
      .flatMap((file) => (Array.isArray(file.plugins) ? file.plugins : [file]))
      .filter((file) => 'version' in file);
    expect(manifests).toHaveLength(6);
    for (const manifest of manifests) expect(manifest).toMatchObject({ name: 'infold', version });
    expect(new Set(manifests.map(({ description }) => description)).size).toBe(1);
  });

  test('starts the server in one way', () => {
    const started = ['plugin/.mcp.json', 'plugin/mcp.json', 'plugin/gemini-extension.json'].map((path) => {
      const { infold } = json(path).mcpServers as Record<string, { command: string; args: string[] }>;
      return [infold!.command, ...infold!.args];
    });
    for (const one of started) expect(one).toEqual(['npx', '-y', 'infold', 'stdio']);
  });

  test('names only files that it has', () => {
    const { skills, mcpServers, hooks } = json('plugin/.codex-plugin/plugin.json');
    for (const path of [skills, mcpServers, hooks])
      expect(existsSync(join(plugin, path as string))).toBe(true);
    const openai = (json('plugin/plugin.json').extensions as Record<string, { hooks: string }>)['com.openai'];
    expect(openai).toEqual({ hooks });
    for (const path of ['.claude-plugin/marketplace.json', 'plugin/.claude-plugin/marketplace.json']) {
      const [{ source }] = json(path).plugins as [{ source: string }];
      const folder = join(root, path, '..', '..', source);
      expect(existsSync(join(folder, '.claude-plugin', 'plugin.json'))).toBe(true);
    }
  });
});

describe('its hooks', () => {
  test.each([
    ['hooks.json', 'claude-code'],
    ['codex.json', 'codex'],
  ] as const)('in %s are all that are heard of %s', (name, host) => {
    const { hooks } = hookEvents.parse(json(`plugin/hooks/${name}`));
    const asked = Object.entries(hooks).map(([event, [group]]) => [event, group!.matcher, group!.hooks]);
    const heard = DIALECTS[host]!.events.map((event) => {
      const command = `node "\${CLAUDE_PLUGIN_ROOT}/hooks/hook.mjs" ${host} ${event.name} 2>/dev/null || true`;
      return [event.name, event.matcher, [{ type: 'command', command, timeout: 10 }]];
    });
    expect(asked).toEqual(heard);
  });

  test("run a program that is the server's own, to the byte", () => {
    verifies('HOST-02');
    expect(text('plugin/hooks/hook.mjs')).toBe(text('packages/server/bin/hook.mjs'));
  });
});

/** Of tools, and other names in the skill. */
const INPUTS = ['project_path', 'description', 'prompt', 'message', 'handle', 'sources', 'infold'];

describe('the skill', () => {
  const skill = text('plugin/skills/infold/SKILL.md');
  const [, front = '', body = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(skill) ?? [];

  test('is described as https://agentskills.io/specification asks', () => {
    const fields = Object.fromEntries(front.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)));
    expect(Object.keys(fields)).toEqual(['name', 'description']);
    // It has to be the name of its folder.
    expect(fields.name).toBe('infold');
    expect(fields.description.length).toBeLessThanOrEqual(1024);
  });

  test('costs a model less than 500 tokens', () => {
    expect(encode(skill).length).toBeLessThan(500);
  });

  test('says when to branch, fold, expand, load rules and remember, by names that tools have', () => {
    const named = new Set([...body.matchAll(/`([a-z]+(?:_[a-z]+)*)`/g)].map(([, name]) => name!));
    for (const tool of [
      'context_branch',
      'context_return',
      'context_expand',
      'memory_load',
      'remember',
      'context',
    ]) {
      expect(named).toContain(tool);
    }
    const tools = createRegistry(testConfig({ toolsets: [...DOORS] })).tools.map(
      ({ portableName }) => portableName,
    );
    const words = [...named].filter((name) => !INPUTS.includes(name) && !name.startsWith('infold_'));
    expect(tools).toEqual(expect.arrayContaining(words));
  });
});
