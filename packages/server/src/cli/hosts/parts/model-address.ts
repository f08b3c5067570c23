import { isLoopback } from '../../../http/access/guard.ts';
import type { Family } from '../../../kernel/window-config.ts';
import type { InstallPlace, SettingsEntry } from '../../install/installable.ts';
import type { Host } from '../host.ts';
import type { Ours } from '../our-program.ts';

/** What SDKs expect at the end of the provider's own address. */
const VERSIONS: Record<Family, string> = { anthropic: '', openai: '/v1', gemini: '' };

/** The address of a model API behind the window door of a server. One that a person set has its version already. */
export function doorAddress(
  server: string,
  family: Family,
  { token, isUpstreamSet = false }: { token?: string | undefined; isUpstreamSet?: boolean } = {},
): string {
  const version = isUpstreamSet ? '' : VERSIONS[family];
  return `${server}/model/${family}${token === undefined ? '' : `/~${token}`}${version}`;
}

/** The window door of a server on this machine that an address leads to. */
export function doorAt(address: string): URL | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  return isLoopback(url.hostname) && /^\/model\/[^/]/.test(url.pathname) ? url : undefined;
}

/** What its settings shall hold for the address of its model; undefined where they stay as they are. */
export function windowAddress(host: Host, place: InstallPlace, ours: Ours): string | undefined {
  if (!place.window || host.window === undefined || whyNoWindow(host, ours) !== undefined) return undefined;
  return doorAddress(ours.url, host.window);
}

/** Why `--window` changes nothing in the settings of a host. */
export function whyNoWindow(host: Host, ours: Ours): string | undefined {
  const { name, title, window } = host;
  const once = host.run === undefined ? '' : ` "infold run ${name}" goes through the window door without it.`;
  if (window === undefined)
    return host.run === undefined
      ? `${title} has no setting for the address of its model: nothing was written for --window.`
      : `${title} has no setting for the address of its model.${once}`;
  if (ours.needsToken)
    return `Callers of this server need a token, which does not belong in settings: the address of ${title}'s model stays as it is.${once}`;
  const own = ours.found[name]?.upstreams[window];
  if (own === undefined || doorAt(own) !== undefined) return undefined;
  return `${title} has an address of its own for its model, or a subscription: it stays as it is.${once}`;
}

/** An address of ours in a file; one that a person put there is left alone. */
export function addressEntry(path: readonly string[], address: string): SettingsEntry {
  return {
    at: 'key',
    path,
    value: address,
    isOurs: (value) => typeof value === 'string' && doorAt(value) !== undefined,
  };
}
