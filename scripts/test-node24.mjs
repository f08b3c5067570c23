import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { build, installTools, newerNode, root } from './tools.mjs';

/** `npm run test:node24 [-- vitest arguments]`: the whole test suite once, on the newer Node of tools/. */
installTools();
build();

// Started by its path, never found by name: with the package's own `.bin` in the PATH every `node` would be this
// one. Here that is wanted for the tests' child processes, and only for them.
const child = spawn(
  newerNode,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH: `${dirname(newerNode)}:${process.env.PATH}` },
  },
);
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
