export const SCOPES = ['read', 'write', 'review', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

export interface TokenCreated {
  id: string;
  org: string;
  /** The principal that holds the token, and the participant id in the gateway. */
  name: string;
  /** sha256 of the token, hex. The token itself is shown once and kept nowhere. */
  hash: string;
  /** Ids of the projects that it opens; null opens all of the organisation. */
  projects: string[] | null;
  scopes: Scope[];
  /** What the principal may send in the gateway, with wildcards. */
  capabilities: string[];
  expires_at: number | null;
}

export interface ProjectAdded {
  id: string;
  org: string;
  name: string;
  path: string | null;
  hash: string;
  workspace_id: string;
}

/**
 * What its members are shown of each other's branches: everything; that there are some, what they are about and what they
 * came to; or nothing.
 */
export const MIRROR_LEVELS = ['full', 'summaries', 'off'] as const;
export type MirrorLevel = (typeof MIRROR_LEVELS)[number];

/** Earlier versions knew yes and no. */
export function mirrorLevel(setting: boolean | MirrorLevel): MirrorLevel {
  return typeof setting === 'boolean' ? (setting ? 'full' : 'off') : setting;
}

/** What a project wants of the doors. Null: what the configuration says; absent: as it was. */
export interface ProjectSettings {
  /** What is shown of its branches. */
  mirrorBranches?: MirrorLevel | null;
  /** Whether what contexts of its pod came to is remembered. */
  rememberContexts?: boolean | null;
}

export interface ProjectConfigured {
  id: string;
  org: string;
  settings: ProjectSettings;
}

/** Somebody was refused. `resource` is a tool, a route or a project, never what was in the request. */
export interface AccessDenied {
  org: string;
  principal: string;
  action: string;
  resource: string;
  code: string;
  count: number;
}

/** The key that checkpoints are signed with was replaced. The one before it signed that (`endorsement`, hex). */
export interface KeyRotated {
  from: string;
  to: string;
  public_key: string;
  endorsement: string;
}

export interface AccessEvents {
  'token.created': TokenCreated;
  'token.revoked': { id: string };
  'project.added': ProjectAdded;
  'project.configured': ProjectConfigured;
  'access.denied': AccessDenied;
  'key.rotated': KeyRotated;
}
