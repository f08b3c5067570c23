import { homedir } from 'node:os';
import { join } from 'node:path';
import { addressIn, type Host } from './host.ts';

const ADDRESS = 'ANTHROPIC_BASE_URL';

export const claudeCode: Host = {
  title: 'Claude Code',
  program: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code',
  async look({ environment, folder, read }) {
    const own = environment.CLAUDE_CONFIG_DIR || join(homedir(), '.claude');
    // What stands in a settings file is set over the environment; the later file over the earlier one.
    const files = [
      join(own, 'settings.json'),
      join(folder, '.claude', 'settings.json'),
      join(folder, '.claude', 'settings.local.json'),
    ];
    const settings = files
      .map((file) => addressOfSettings(read(file)))
      .findLast((address) => address !== undefined);
    const anthropic = settings ?? addressIn(environment, ADDRESS);
    return {
      upstreams: { ...(anthropic !== undefined && { anthropic }) },
      isInSettings: settings !== undefined,
      ...(['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX'].some((name) => environment[name]) && {
        notes: [
          'Claude Code is set up for Bedrock or Vertex: its requests do not go through the window door.',
        ],
      }),
    };
  },
  connect({ base, mcp, found }) {
    const address = base('anthropic');
    // The flag takes a list: only what is written with "=" leaves the next word alone.
    return {
      args: [
        ...(found.isInSettings ? [`--settings=${JSON.stringify({ env: { [ADDRESS]: address } })}`] : []),
        ...(mcp ? [`--mcp-config=${JSON.stringify({ mcpServers: { infold: mcp } })}`] : []),
      ],
      // Behind another address than its own, it would put every tool into the first prompt.
      environment: { [ADDRESS]: address, ENABLE_TOOL_SEARCH: 'true' },
    };
  },
};

function addressOfSettings(text: string | undefined): string | undefined {
  try {
    const { env } = JSON.parse(text ?? '{}') as { env?: Record<string, unknown> };
    const address = env?.[ADDRESS];
    return typeof address === 'string' && address !== '' ? address : undefined;
  } catch {
    return undefined;
  }
}
