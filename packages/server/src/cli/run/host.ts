import type { Family } from '../../kernel/window-config.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What a host or a command is started in. */
export interface Surroundings {
  environment: Environment;
  folder: string;
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
  found: Found;
  environment: Environment;
}

/** What is added to what the person typed, and to the environment. */
export interface Additions {
  args: string[];
  environment: Record<string, string>;
}

export interface Host {
  /** As people write it. */
  title: string;
  program: string;
  /** A command that installs it. */
  install: string;
  look(surroundings: Surroundings): Promise<Found>;
  connect(connection: Connection): Additions;
}

/** The address in a variable, where it is set. */
export function addressIn(environment: Environment, variable: string): string | undefined {
  return environment[variable] || undefined;
}
