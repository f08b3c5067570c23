import { createExtension, type Options } from './extension.ts';
import type { ExtensionApi } from './host.ts';

export type { Options } from './extension.ts';

/** An extension with options: `export default infold({ data: '/dir' })` in a file of `~/.pi/agent/extensions/`. */
export function infold(options: Options = {}): (pi: ExtensionApi) => void {
  return (pi) => createExtension(pi, options);
}

/** What Pi loads: `pi install npm:@infold/pi`. */
export default infold();
