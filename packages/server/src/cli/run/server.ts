import { infoldAt, servesFolder, urlOf } from '../../http/connections/port-holder.ts';
import type { Config, ConfigReport } from '../../kernel/config.ts';
import type { LogLevel } from '../../kernel/log.ts';
import { VERSION } from '../../kernel/version.ts';
import type { WindowConfig } from '../../kernel/window-config.ts';
import { openServer } from '../serve/serve.ts';

/** A server that runs on this data folder already, or why the one that answers is not taken. */
export async function findServer({ host, port, data }: Config): Promise<{ url: string } | { note?: string }> {
  const version = port === 0 ? undefined : await infoldAt(host, port);
  if (version === undefined) return {};
  // Who owns the folder is told which one it is.
  const url = urlOf(host, port);
  const own = 'This run starts a server of its own.';
  if (version !== VERSION) {
    return { note: `The Infold at ${url} is version ${version}, this is ${VERSION}. ${own}` };
  }
  if (await servesFolder(url, data)) return { url };
  return { note: `The Infold at ${url} serves another data folder than ${data}. ${own}` };
}

/** What went through a server of its own. */
export interface Passed {
  conversations: Set<string>;
  /** Requests that were passed on without being looked at, and why. */
  unread: { why: string; count: number }[];
}

/** A server in this process: whatever ends the one ends the other. */
export async function openOwnServer(
  report: ConfigReport,
  upstreams: WindowConfig['upstreams'],
  ownToken: string | undefined,
  logLevel: LogLevel,
): Promise<{ url: string; close(): Promise<Passed> }> {
  const { window } = report.config;
  const config: Config = {
    ...report.config,
    ...{ host: '127.0.0.1', port: 0, oauth: undefined },
    window: { ...window, upstreams: { ...window.upstreams, ...upstreams } },
  };
  const conversations = new Set<string>();
  const { url, services, close } = await openServer({ ...report, config }, logLevel, {
    ownToken,
    onConversation: (id) => conversations.add(id),
  });
  return {
    url,
    close: async () => {
      await close();
      return { conversations, unread: services.parts.traffic.report().unread };
    },
  };
}
