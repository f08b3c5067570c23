import { createHash } from 'node:crypto';
import type { Way } from './connect.ts';

/** What is running, for who owns the machine. */
export interface Running {
  version: string;
  projects: number;
  doors: { name: string; tools: string[] }[];
  data: string;
}

export interface Home {
  address: string;
  needsToken: boolean;
  /** Absent for everybody but the local owner. */
  running: Running | undefined;
  ways: Way[];
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1c1e21; --soft: #5b6169; --line: #dcdfe3; --card: #f6f7f8; --page: #fff; --mark: #0b6e4f; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e8ea; --soft: #9aa2ab; --line: #31363c; --card: #1b1e22; --page: #121417; --mark: #5fd0a5; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 3rem 1.25rem 4rem; }
h1 { margin: 0; font-size: 1.9rem; letter-spacing: -0.01em; }
h2 { margin: 2.5rem 0 0.75rem; font-size: 1.1rem; }
p { margin: 0.4rem 0; color: var(--soft); }
dl { display: grid; grid-template-columns: 8rem 1fr; gap: 0.35rem 1rem; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
code, pre { font: 0.875rem/1.5 ui-monospace, monospace; }
dd code { margin-right: 0.5rem; white-space: nowrap; }
dd code.whole { white-space: normal; }
pre { margin: 0.4rem 0 1rem; padding: 0.75rem 0.9rem; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--page); border: 1px solid var(--line); border-radius: 6px; user-select: all; }
details { margin: 0.5rem 0; padding: 0 1rem; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
summary { padding: 0.6rem 0; cursor: pointer; font-weight: 600; }
summary::marker { color: var(--mark); }
.running { color: var(--mark); }
`;

/** Nothing is loaded, run, framed or sent from here; the one style sheet is known by its hash. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function renderHome(home: Home): string {
  const { running, needsToken } = home;
  const parts = [
    '<h1>Infold</h1>',
    '<p>The context layer for LLM agents.</p>',
    ...(running ? [renderRunning(home.address, running)] : []),
    '<h2>Connect an agent</h2>',
    needsToken
      ? '<p>Callers need a token: <code>infold token create --name NAME</code> on the machine that serves. The token names what they may see.</p>'
      : `<p>Over HTTP, name the project: add <code>&amp;project=/path/of/your/project</code> to the address. A process of its own takes the folder that it is started in.</p>`,
    ...renderWays(home.ways),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Infold</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${parts.join('\n')}
</main>
</body>
</html>
`;
}

function renderRunning(address: string, { version, projects, doors, data }: Running): string {
  const rows: [string, string][] = [
    ['Version', escaped(version)],
    ['MCP', `<code class="whole">${escaped(address)}</code>`],
    ['Data', `<code class="whole">${escaped(data)}</code>`],
    ['Projects', String(projects)],
    ...doors.map(({ name, tools }): [string, string] => [
      escaped(name),
      tools.map((tool) => `<code>${escaped(tool)}</code>`).join(' '),
    ]),
  ];
  const list = rows.map(([term, text]) => `<dt>${term}</dt><dd>${text}</dd>`).join('\n');
  return `<h2><span class="running" aria-hidden="true">●</span> Running</h2>\n<dl>\n${list}\n</dl>`;
}

const TRANSPORTS = { http: 'Over HTTP', stdio: 'As a process of its own' };

function renderWays(ways: readonly Way[]): string[] {
  const hosts = [...new Set(ways.map(({ host }) => host))];
  return hosts.map((host, place) => {
    const blocks = ways
      .filter((way) => way.host === host)
      .map(
        ({ transport, where, text }) =>
          `<p>${TRANSPORTS[transport]} (${escaped(where)})</p>\n<pre>${escaped(text)}</pre>`,
      );
    return `<details name="host"${place === 0 ? ' open' : ''}>\n<summary>${escaped(host)}</summary>\n${blocks.join('\n')}\n</details>`;
  });
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);
}
