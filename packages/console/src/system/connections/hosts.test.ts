import { expect, test } from 'vitest';
import type { ConnectionView, Way } from '../queries.ts';
import { hostsOf, isHost } from './hosts.ts';

const way = (host: string, transport: Way['transport']): Way => ({
  host,
  transport,
  where: 'command',
  text: 'x',
});
const seen = (name: string | null, last_at: string): ConnectionView => ({
  kind: 'mcp',
  name,
  version: '1',
  org: 'local',
  principal: 'owner',
  session_id: null,
  project_id: null,
  pod: null,
  conversation: null,
  last_at,
  is_open: true,
});

test('hosts are known by how they name themselves', () => {
  expect(isHost('Claude Code', 'claude-code')).toBe(true);
  expect(isHost('Claude Code', 'claude-cli')).toBe(true);
  expect(isHost('Codex', 'codex-mcp-client')).toBe(true);
  expect(isHost('Codex', 'codex_cli_rs')).toBe(true);
  expect(isHost('VS Code', 'Visual Studio Code')).toBe(true);
  expect(isHost('Cursor', 'my-cursor')).toBe(false);
  expect(isHost('Any other host', 'anything')).toBe(false);
  expect(isHost('Codex', null)).toBe(false);
});

test('each host is there once, with all its ways and when it was last heard of', () => {
  const hosts = hostsOf(
    [
      way('Claude Code', 'http'),
      way('Codex', 'http'),
      way('Claude Code', 'stdio'),
      way('Any other host', 'http'),
    ],
    [
      seen('claude-code', '2026-01-01T00:00:00.000Z'),
      seen('claude-code', '2026-01-02T00:00:00.000Z'),
      seen(null, '2026-01-03T00:00:00.000Z'),
    ],
  );
  expect(hosts.map(({ name, ways, lastAt }) => [name, ways.length, lastAt])).toEqual([
    ['Claude Code', 2, '2026-01-02T00:00:00.000Z'],
    ['Codex', 1, undefined],
    ['Any other host', 1, null],
  ]);
});
