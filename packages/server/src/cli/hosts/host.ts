import type { HostName } from '@infold/protocol';
import type { Family } from '../../kernel/window-config.ts';
import type { HostFile, InstallPlace } from '../install/installable.ts';
import type { Environment, ExistingSetup, Surroundings } from './existing-setup.ts';
import type { Ours } from './our-program.ts';

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
  traces(place: InstallPlace): readonly string[];
  /** Everything that is written for it. Throws where it has no such place. */
  files(place: InstallPlace, ours: Ours): readonly HostFile[];
  /** What somebody should know or do afterwards. */
  notes?(place: InstallPlace, ours: Ours): readonly string[] | Promise<readonly string[]>;
  /** A plugin of ours speaks within it, in place of hooks. */
  hasPlugin?: boolean;
  /** Why hooks of ours that stand in its files do not do what they should: what a person has not allowed, say. */
  hookTrouble?(place: InstallPlace, ours: Ours): Promise<string | undefined>;
  /** Whose model API it asks, where its settings can hold another address for it. */
  window?: Family;
  /** How it is run with nothing installed, where it can be. */
  run?: Runnable;
}

export interface Runnable {
  look(surroundings: Surroundings): Promise<ExistingSetup>;
  connect(connection: RunConnection): Additions;
}

/** A host with a command that `infold run` can start. */
export type RunnableHost = Host & { program: string; run: Runnable };

/** How our tools are started. A process is a window of its own, and its owner's: it needs no token. */
export interface Mcp {
  command: string;
  args: string[];
}

export interface RunConnection {
  /** The address of a model API behind the door, as this program's SDK wants it. */
  base(family: Family): string;
  /** Undefined where the host has ours already, or takes none. */
  mcp: Mcp | undefined;
  /** What hooks are started with; undefined where the host has ours already. */
  hooks: Ours | undefined;
  found: ExistingSetup;
  environment: Environment;
}

/** What is added to what the person typed, and to the environment. */
export interface Additions {
  args: string[];
  environment: Record<string, string>;
}
