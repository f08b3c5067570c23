import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtFile } from '../../../kernel/built-files.ts';
import type { InstallPlace } from '../../install/installable.ts';
import { addressIn } from '../existing-setup.ts';
import type { Host } from '../host.ts';
import { documentIn, keysOf } from '../machine/documents.ts';
import { pathIn } from '../machine/folders.ts';
import { geminiFiles } from './gemini-family.ts';
import { isTrustedFolder } from './gemini-trust.ts';

const ADDRESS = 'GOOGLE_GEMINI_BASE_URL';
const PROGRAM = fileURLToPath(builtFile('../bin/infold.mjs'));

export const gemini: Host = {
  name: 'gemini',
  title: 'Gemini CLI',
  program: 'gemini',
  install: 'npm install -g @google/gemini-cli',
  traces: (place) => [ownFolder(place)],
  files: (place, ours) => geminiFiles(gemini, ownFolder(place), place, ours),
  notes: ({ http }) =>
    http ? [] : ['Gemini CLI runs hooks in folders that you trust: it asks when you start it there.'],
  async hookTrouble(place) {
    const own = ownFolder({ ...place, scope: 'user' });
    const settings = await documentIn(join(own, 'settings.json'), 'jsonc');
    if (keysOf(settings.hooksConfig).enabled === false)
      return 'Gemini CLI has its hooks turned off in settings.json';
    if (keysOf(keysOf(settings.security).folderTrust).enabled === false) return undefined;
    const trusted = await documentIn(join(own, 'trustedFolders.json'), 'jsonc');
    return isTrustedFolder(place.project, trusted)
      ? undefined
      : `Gemini CLI skips hooks in folders that you have not trusted, and ${place.project} is not one of them: start it there once`;
  },
  run: {
    async look({ environment, folder, home, read }) {
      const own = pathIn(environment, 'GEMINI_CLI_HOME') ?? home;
      const settings = [own, folder]
        .map((place) => read(join(place, '.gemini', 'settings.json')) ?? '')
        .join('\n');
      const auth = /"selectedType"\s*:\s*"([^"]+)"/.exec(settings)?.[1];
      const hasMcp = /"infold"\s*:\s*\{/.test(settings);
      const address = addressIn(environment, ADDRESS);
      return {
        upstreams: { ...(address !== undefined && { gemini: address }) },
        hasMcp,
        notes: [
          ...(auth === undefined
            ? [
                'No way to sign in to Gemini CLI is chosen yet, and it needs one to use another address: start it once, and use /auth.',
              ]
            : []),
          ...(auth === 'oauth-personal'
            ? [
                'Gemini CLI is signed in with Google: its requests do not go through the window door. With an API key they do.',
              ]
            : []),
          ...(hasMcp
            ? []
            : [
                `Gemini CLI cannot be given an MCP server for a single run. To let its model branch and fold, add ours once: infold install gemini, or gemini mcp add -s user infold node ${PROGRAM} stdio`,
              ]),
        ],
      };
    },
    connect: ({ base }) => ({ args: [], environment: { [ADDRESS]: base('gemini') } }),
  },
};

function ownFolder({ scope, home, project, environment }: InstallPlace): string {
  return join(scope === 'user' ? (pathIn(environment, 'GEMINI_CLI_HOME') ?? home) : project, '.gemini');
}
