import type { GatewayFilter } from '@infold/protocol';
import type { WireFrame } from '../wire/frame.ts';
import { type Ancestors, compileFilter, type Described, filterKey } from './filter.ts';
import type { Member } from './member.ts';

interface Group {
  matches: (message: Described) => boolean;
  directed: boolean;
  members: Map<string, Member>;
}

/** Receivers by their filters: each filter is asked once for a message, however many receivers share it. */
export class Receivers {
  readonly #groups = new Map<string, Group>();
  readonly #ancestors: Ancestors;

  constructor(ancestors: Ancestors) {
    this.#ancestors = ancestors;
  }

  get groups(): number {
    return this.#groups.size;
  }

  add(member: Member): void {
    this.remove(member);
    const key = filterKey(member.filter);
    let group = this.#groups.get(key);
    if (!group) {
      group = { ...this.compile(member.filter), members: new Map() };
      this.#groups.set(key, group);
    }
    group.members.set(member.id, member);
    member.group = key;
  }

  compile(filter: GatewayFilter): Pick<Group, 'matches' | 'directed'> {
    return { matches: compileFilter(filter, this.#ancestors), directed: filter.directed === true };
  }

  remove(member: Member): void {
    if (member.group === undefined) return;
    const group = this.#groups.get(member.group);
    if (group?.members.get(member.id) === member) group.members.delete(member.id);
    if (group?.members.size === 0) this.#groups.delete(member.group);
    member.group = undefined;
  }

  deliver(message: Described, frame: WireFrame): void {
    for (const { matches, directed, members } of this.#groups.values()) {
      if (!matches(message)) continue;
      if (directed && message.to) {
        for (const name of new Set(message.to)) members.get(name)?.send(frame);
      } else {
        for (const member of members.values()) member.send(frame);
      }
    }
  }
}
