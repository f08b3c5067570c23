import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importFolder } from '../../packages/server/dist/library/folders/import-folder.js';
import { localOwner } from '../../packages/server/dist/trust/identity/caller.js';
import { ensureProject, resolveProject } from '../../packages/server/dist/trust/identity/projects.js';

const TOPICS = [
  ...[
    'naming',
    'errors',
    'reviews',
    'testing',
    'deployment',
    'databases',
    'caching',
    'queues',
    'retries',
    'tokens',
  ],
  ...[
    'branches',
    'merging',
    'releases',
    'documentation',
    'security',
    'access',
    'memory',
    'logging',
    'metrics',
  ],
  ...[
    'accessibility',
    'localisation',
    'payments',
    'search',
    'uploads',
    'scheduling',
    'migrations',
    'feature flags',
  ],
];
const AREAS = ['backend', 'frontend', 'mobile', 'platform', 'data', 'design', 'support', 'billing'];

/** A rule as teams write them: an introduction, sections with items, one in prose, an example. */
export function ruleText(/** @type {number} */ number) {
  const topic = TOPICS[number % TOPICS.length];
  const area = AREAS[number % AREAS.length];
  return `---
description: How ${area} service ${number} treats ${topic}
---
# ${topic} in ${area} ${number}

What follows was agreed on after the incident that service ${number} had. It is short so that it is read, and it
is kept up to date by whoever changes the part that it is about. When in doubt, ask the ${area} people first.

## Principles of ${topic}

- Prefer the plain way that everybody in ${area} already knows to the clever one that only its author understands.
- Every exception is written down where it is made, with its reason and the date by which it should be gone again.
- What is not covered by a test does not count as done, however small the change to ${topic} may look.

## Before you change anything

Look for the places that use it, in this repository and in those of the other teams, and find out who must be asked.
A change to ${topic} is announced a week before it happens. The announcement says what breaks, for whom, and what to
do about it; it goes to the channel of ${area}, not to single persons, so that those who are away see it as well.

## Example

\`\`\`ts
const settings = await loadSettings({ area: '${area}', topic: '${topic}', number: ${number} });
if (!settings.enabled) throw new Error('Turned off for service ${number}');
await apply(settings);
\`\`\`
`;
}

/** So many files in a folder: rules of areas, some workflows, some context. */
export function writeLibrary(/** @type {string} */ folder, /** @type {number} */ count) {
  for (let number = 0; number < count; number++) {
    const kind =
      number % 20 === 0 ? 'workflow' : number % 10 === 1 ? 'context' : AREAS[number % AREAS.length];
    const path = join(folder, /** @type {string} */ (kind), `group${number % 40}`);
    mkdirSync(path, { recursive: true });
    const topic = /** @type {string} */ (TOPICS[number % TOPICS.length]).replaceAll(' ', '_');
    writeFileSync(join(path, `${topic}_${number}.md`), ruleText(number));
  }
}

/**
 * @param {import('../../packages/server/dist/cli/services/services.js').Services} services
 * @param {string} path of the project
 */
export function projectAt(services, path) {
  const { journal } = services;
  return ensureProject(journal, localOwner, resolveProject(journal.database, localOwner, path));
}

/**
 * @param {import('../../packages/server/dist/cli/services/services.js').Services} services
 * @param {string} project
 * @param {string} folder
 */
export async function importInto(services, project, folder) {
  const { journal, config, scrubber, parts } = services;
  const work = { journal, config, scrubber, parts, caller: localOwner };
  return importFolder(work, await projectAt(services, project), folder, { publish: true });
}

/**
 * Calls are counted by the fold door after they were answered, which has benchmarks of its own.
 *
 * @param {import('../../packages/server/dist/cli/services/services.js').Services} services
 */
export function withoutMeter(services) {
  const { meter: _meter, ...rest } = services;
  return /** @type {typeof services} */ (rest);
}
