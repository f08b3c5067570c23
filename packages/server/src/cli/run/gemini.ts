import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtFile } from '../../kernel/built.ts';
import { addressIn, type Host } from './host.ts';

const ADDRESS = 'GOOGLE_GEMINI_BASE_URL';
const PROGRAM = fileURLToPath(builtFile('../bin/infold.mjs'));

export const gemini: Host = {
  title: 'Gemini CLI',
  program: 'gemini',
  install: 'npm install -g @google/gemini-cli',
  async look({ environment, folder, read }) {
    const own = environment.GEMINI_CLI_HOME || homedir();
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
              'Gemini CLI has no way to sign in chosen yet. Behind another address it needs one: start it once, and use /auth.',
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
              `Gemini CLI takes no MCP server for a single run. To let its model branch and fold, add ours once: gemini mcp add -s user infold node ${PROGRAM} stdio`,
            ]),
      ],
    };
  },
  connect: ({ base }) => ({ args: [], environment: { [ADDRESS]: base('gemini') } }),
};
