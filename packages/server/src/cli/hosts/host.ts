import type { HostName } from '@infold/protocol';
import type { Family } from '../../kernel/window-config.ts';
import type { HostFile, Place } from '../install/installable.ts';
import type { Ours } from './our-program.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** An agent program: how it is found, what is written for it, and how it is run once with nothing written. */
export interface Host {
  name: HostName;
  /** As people write it. */
  title: string;
  /** The command that starts it; an editor is found by its folder alone. */
  program?: string;
  /** A command that installs it, or where it is to be had. */
  install: string;
  /** What it keeps of its own in such a place: where one of these is there, so is the host. */
  traces(place: Place): readonly string[];
  /** Everything that is written for it. Throws where it has no such place. */
  files(place: Place, ours: Ours): readonly HostFile[];
  /** What somebody should know or do afterwards. */
  notes?(place: Place, ours: Ours): readonly string[] | Promise<readonly string[]>;
  /** A plugin of ours speaks within it, in place of hooks. */
  hasPlugin?: boolean;
  /** Why hooks of ours that stand in its files do not do what they should: what a person has not allowed, say. */
  hookTrouble?(place: Place, ours: Ours): Promise<string | undefined>;
  /** Whose model API it asks, where its settings can hold another address for it. */
  window?: Family;
  /** How it is run with nothing installed, where it can be. */
  run?: Runnable;
}

export interface Runnable {
  look(surroundings: Surroundings): Promise<Found>;
  connect(connection: Connection): Additions;
}

/** A host with a command that `infold run` can start. */
export type RunnableHost = Host & { program: string; run: Runnable };

/** What a host or a command is started in. */
export interface Surroundings {
  environment: Environment;
  folder: string;
  /** The person's own folder. */
  home: string;
  /** Asks the program itself something, and answers what it says; undefined where that fails. */
  ask(...args: string[]): Promise<string | undefined>;
  /** A file of the person's settings, as it is; undefined where there is none. Nothing is ever written to one. */
  read(path: string): string | undefined;
}

/** What a person set up before us. It is never overwritten. */
export interface Found {
  /** Addresses of model APIs, by whose API it is: they become the upstreams of this run. */
  upstreams: Partial<Record<Family, string>>;
  /** They stand in a file that counts more than the environment. */
  isInSettings?: boolean;
  /** It has an MCP server named infold already. */
  hasMcp?: boolean;
  /** It has hooks of ours already, which would run beside those of this run. */
  hasHooks?: boolean;
  /** What somebody should know before it starts. */
  notes?: string[];
}

/** How our tools are started. A process is a window of its own, and its owner's: it needs no token. */
export interface Mcp {
  command: string;
  args: string[];
}

export interface Connection {
  /** The address of a model API behind the door, as this program's SDK wants it. */
  base(family: Family): string;
  /** Undefined where the host has ours already, or takes none. */
  mcp: Mcp | undefined;
  /** What hooks are started with; undefined where the host has ours already. */
  hooks: Ours | undefined;
  found: Found;
  environment: Environment;
}

/** What is added to what the person typed, and to the environment. */
export interface Additions {
  args: string[];
  environment: Record<string, string>;
}

/** The address in a variable, where it is set. */
export function addressIn(environment: Environment, variable: string): string | undefined {
  return environment[variable] || undefined;
}
