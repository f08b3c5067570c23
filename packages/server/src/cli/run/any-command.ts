import type { Family } from '../../kernel/window-config.ts';
import { addressIn, type ExistingSetup, type Surroundings } from '../hosts/existing-setup.ts';
import type { Additions, RunConnection } from '../hosts/host.ts';

/** What SDKs read their address from; the first that a person set counts. */
const VARIABLES: readonly { family: Family; names: readonly string[] }[] = [
  { family: 'anthropic', names: ['ANTHROPIC_BASE_URL'] },
  // The second is what older ones of OpenAI's read.
  { family: 'openai', names: ['OPENAI_BASE_URL', 'OPENAI_API_BASE'] },
  { family: 'gemini', names: ['GOOGLE_GEMINI_BASE_URL'] },
];

/** Any command: the variables are all there is to set, and tools of ours are its own business. */
export const anyCommand = {
  look({ environment }: Pick<Surroundings, 'environment'>): ExistingSetup {
    const upstreams: ExistingSetup['upstreams'] = {};
    for (const { family, names } of VARIABLES) {
      const address = names.map((name) => addressIn(environment, name)).find((one) => one !== undefined);
      if (address !== undefined) upstreams[family] = address;
    }
    return { upstreams };
  },
  connect({ base }: Pick<RunConnection, 'base'>): Additions {
    const environment = Object.fromEntries(
      VARIABLES.flatMap(({ family, names }) => names.map((name) => [name, base(family)])),
    );
    return { args: [], environment };
  },
};
