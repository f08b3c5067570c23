/** Branded ids: a string of one kind is not accepted where another kind is meant. */
declare const brand: unique symbol;
type Branded<Kind extends string> = string & { readonly [brand]: Kind };

export type OrganisationId = Branded<'organisation'>;
export type PrincipalId = Branded<'principal'>;
export type ProjectId = Branded<'project'>;
export type SessionId = Branded<'session'>;
export type BranchId = Branded<'branch'>;
export type TokenId = Branded<'token'>;
export type EntryId = Branded<'entry'>;

/** The ids that a host may choose for its own session or thread. */
export const HOST_SESSION_ID = /^[A-Za-z0-9_-]{1,128}$/;
