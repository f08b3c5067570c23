export const SCOPES = ['read', 'write', 'review', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

export interface TokenCreated {
  id: string;
  org: string;
  /** The principal's name, and its participant id in the gateway. */
  name: string;
  /** sha256 of the token, hex. The token itself is shown once and never stored. */
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
 * What a project's members see of each other's branches: everything; only their descriptions and summaries; or nothing.
 */
export const MIRROR_LEVELS = ['full', 'summaries', 'off'] as const;
export type MirrorLevel = (typeof MIRROR_LEVELS)[number];

/** Earlier versions stored a boolean. */
export function mirrorLevel(setting: boolean | MirrorLevel): MirrorLevel {
  return typeof setting === 'boolean' ? (setting ? 'full' : 'off') : setting;
}

/** Settings of a project. Null: use the configuration; absent: unchanged. */
export interface ProjectSettings {
  /** What members see of each other's branches. */
  mirrorBranches?: MirrorLevel | null;
  /** Whether conclusions of contexts in its pod become memory items. */
  rememberContexts?: boolean | null;
}

export interface ProjectConfigured {
  id: string;
  org: string;
  settings: ProjectSettings;
}

/** A project's library is that of a project at a hub from now on, or its own again. */
export interface ProjectLinked {
  id: string;
  org: string;
  /** Where its library is now. */
  workspace_id: string;
  /** Null: it is its own again. */
  hub: { id: string; url: string; project_id: string; project: string } | null;
}

/** Access was denied. `resource` is a tool, a route or a project, never the content of the request. */
export interface AccessDenied {
  org: string;
  principal: string;
  action: string;
  resource: string;
  code: string;
  count: number;
}

/** The key that signs checkpoints was replaced. The old key signed the new one (`endorsement`, hex). */
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
  'project.linked': ProjectLinked;
  'access.denied': AccessDenied;
  'key.rotated': KeyRotated;
}
