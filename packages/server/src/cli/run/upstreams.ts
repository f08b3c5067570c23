import { infoldAt } from '../../http/connections/port-holder.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { type Family, isUpstreamUrl, type WindowConfig } from '../../kernel/window-config.ts';
import type { ExistingSetup } from '../hosts/existing-setup.ts';
import { doorAddress, doorAt } from '../hosts/parts/model-address.ts';

export interface Addresses {
  /** What a person set up: this run's door sends there. */
  upstreams: WindowConfig['upstreams'];
  /** Doors that somebody set up already. A second one behind it would count everything twice. */
  doors: ExistingSetup['upstreams'];
}

export async function addressesOf(found: ExistingSetup): Promise<Addresses> {
  const addresses: Addresses = { upstreams: {}, doors: {} };
  for (const [family, address] of Object.entries(found.upstreams) as [Family, string][]) {
    const door = doorAt(address);
    if (door === undefined) addresses.upstreams[family] = { url: upstreamUrl(address), dialect: family };
    // One that nobody answers at is left over from something that has ended.
    else if ((await infoldAt(door.hostname, Number(door.port))) !== undefined)
      addresses.doors[family] = address;
  }
  return addresses;
}

function upstreamUrl(address: string): string {
  if (isUpstreamUrl(address)) return address.replace(/\/+$/, '');
  throw new InfoldError(
    'invalid_arguments',
    'The address that is set for the model API cannot be used behind the window door: it must begin with http or https, and have no password or query',
  );
}

/** The address of a model API behind the door of a server. */
export function baseAt(server: string, token: string | undefined, { upstreams, doors }: Addresses) {
  return (family: Family): string =>
    doors[family] ?? doorAddress(server, family, { token, isUpstreamSet: upstreams[family] !== undefined });
}
