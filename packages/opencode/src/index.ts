import type { Plugin } from './host.ts';
import { createHooks } from './plugin.ts';

/** What OpenCode loads: `"plugin": ["@infold/opencode"]`. */
const plugin: Plugin = {
  id: 'infold',
  server: async (input, options) => createHooks(input, options),
};

export default plugin;
