import type { Family } from '../../kernel/window-config.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

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
export interface ExistingSetup {
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

/** The address in a variable, where it is set. */
export function addressIn(environment: Environment, variable: string): string | undefined {
  return environment[variable] || undefined;
}
