/** Where an action is served over HTTP. */
export interface Route {
  method: 'GET' | 'POST' | 'DELETE';
  /** Braces name a field of the input: `/api/branches/{id}`. */
  path: `/api/${string}`;
  /** The field at the end of the path that may hold slashes. */
  rest?: string;
  /** Fields that a request with a body passes in its query. A request without a body passes all fields there. */
  query?: readonly string[];
  /** Fields that may be in the body or in the query. */
  either?: readonly string[];
  /** The field that takes a body of lines (`application/x-ndjson`, `text/plain`) as it is. */
  lines?: string;
  /** Answers 201 when it created something. */
  creates?: true;
  /** The field `format` asks for `rows` of the answer as CSV or lines of JSON, which are sent as they are written. */
  exports?: true;
  /** The field of the answer that holds a page of a list. Pass `next` as `cursor` for the page after it. */
  list?: string;
}

/** By the name of the client's method. Free of schemas, so that a page can load the table alone. */
export const ROUTES = {
  listSessions: { method: 'GET', path: '/api/sessions', list: 'sessions' },
  readSession: { method: 'GET', path: '/api/sessions/{id}' },
  listSessionBranches: { method: 'GET', path: '/api/sessions/{id}/branches' },
  listSessionEntries: { method: 'GET', path: '/api/sessions/{id}/entries', list: 'entries' },
  listState: { method: 'GET', path: '/api/state/{owner}/{project}/{session}', list: 'values' },
  readState: { method: 'GET', path: '/api/state/{owner}/{project}/{session}/{key}', rest: 'key' },
  searchBranches: { method: 'GET', path: '/api/branches' },
  readBranch: { method: 'GET', path: '/api/branches/{id}', list: 'items' },
  contextReturn: { method: 'POST', path: '/api/branches/{branch_id}/fold' },
  contextRollback: { method: 'POST', path: '/api/branches/{branch_id}/rollback', query: ['session_id'] },
  contextExpand: { method: 'GET', path: '/api/expand/{handle}' },
  reportOperations: { method: 'POST', path: '/api/sessions/{id}/operations', query: ['project'] },
  listLibraryItems: { method: 'GET', path: '/api/library/items', list: 'items' },
  searchLibraries: { method: 'GET', path: '/api/library/search' },
  libraryStatus: { method: 'GET', path: '/api/library/status' },
  readSelection: { method: 'GET', path: '/api/library/selection' },
  selectFiles: { method: 'POST', path: '/api/library/selection', either: ['project'] },
  listProtections: { method: 'GET', path: '/api/library/protections' },
  protectPaths: { method: 'POST', path: '/api/library/protections', either: ['project'] },
  importFiles: { method: 'POST', path: '/api/library/import', either: ['project'] },
  readLibraryItem: { method: 'GET', path: '/api/library/items/{id}' },
  listRevisions: { method: 'GET', path: '/api/library/items/{id}/history' },
  restoreRevision: { method: 'POST', path: '/api/library/items/{id}/restore', query: ['project'] },
  listDrafts: { method: 'GET', path: '/api/library/drafts', list: 'drafts' },
  createDraft: { method: 'POST', path: '/api/library/drafts', either: ['project'], creates: true },
  readDraft: { method: 'GET', path: '/api/library/drafts/{id}' },
  listTurns: { method: 'GET', path: '/api/attestation/turns', list: 'turns' },
  submitDraft: { method: 'POST', path: '/api/library/drafts/{id}/submit', query: ['project'] },
  discardDraft: { method: 'POST', path: '/api/library/drafts/{id}/discard', query: ['project'] },
  approveDraft: { method: 'POST', path: '/api/library/drafts/{id}/approve', query: ['project'] },
  declineDraft: { method: 'POST', path: '/api/library/drafts/{id}/decline', query: ['project'] },
  commentDraft: { method: 'POST', path: '/api/library/drafts/{id}/comment', query: ['project'] },
  publishDraft: { method: 'POST', path: '/api/library/drafts/{id}/publish', query: ['project'] },
  rebaseDraft: { method: 'POST', path: '/api/library/drafts/{id}/rebase', query: ['project'] },
  readItemUsage: { method: 'GET', path: '/api/library/items/{id}/usage' },
  listRuleUsage: { method: 'GET', path: '/api/attestation/rules', list: 'rules' },
  listConstraintUsage: { method: 'GET', path: '/api/attestation/constraints', list: 'constraints' },
  listAgentUsage: { method: 'GET', path: '/api/attestation/agents', list: 'agents' },
  listModelUsage: { method: 'GET', path: '/api/attestation/models', list: 'models' },
  reportUsage: { method: 'GET', path: '/api/attestation/report', exports: true },
  listDayUsage: { method: 'GET', path: '/api/attestation/days', list: 'days' },
  readHubManifest: { method: 'GET', path: '/api/hub/manifest', list: 'files' },
  readHubFiles: { method: 'GET', path: '/api/hub/files/{hash}' },
  receiveEvents: { method: 'POST', path: '/api/hub/events' },
  receiveDraft: { method: 'POST', path: '/api/hub/drafts' },
  readHubStatus: { method: 'GET', path: '/api/hub/status' },
  listWebhooks: { method: 'GET', path: '/api/webhooks' },
  testWebhook: { method: 'POST', path: '/api/webhooks/{webhook}/test' },
  retryWebhook: { method: 'POST', path: '/api/webhooks/{webhook}/retry' },
  listPods: { method: 'GET', path: '/api/pods' },
  listPodParticipants: { method: 'GET', path: '/api/pods/{pod}/participants' },
  readPodPolicy: { method: 'GET', path: '/api/pods/{pod}/policy' },
  listPodContexts: { method: 'GET', path: '/api/pods/{pod}/contexts' },
  readPodContext: { method: 'GET', path: '/api/pods/{pod}/contexts/{id}' },
  listPodMessages: { method: 'GET', path: '/api/pods/{pod}/messages', list: 'messages' },
  searchPodMessages: { method: 'GET', path: '/api/pods/{pod}/search', list: 'messages' },
  resolveCorrelation: { method: 'GET', path: '/api/correlations/{id}' },
  context: { method: 'POST', path: '/api/packs' },
  remember: { method: 'POST', path: '/api/memory/items', creates: true },
  synthesisPlan: { method: 'POST', path: '/api/synthesis' },
  searchMemory: { method: 'GET', path: '/api/memory/search' },
  askMemory: { method: 'GET', path: '/api/memory/passages' },
  listDiaries: { method: 'GET', path: '/api/memory/diaries' },
  listMemoryItems: { method: 'GET', path: '/api/memory/items', list: 'items' },
  readMemoryItem: { method: 'GET', path: '/api/memory/items/{id}' },
  readItemHistory: { method: 'GET', path: '/api/memory/items/{id}/history' },
  forgetItem: { method: 'DELETE', path: '/api/memory/items/{id}' },
  listRelatedItems: { method: 'GET', path: '/api/memory/items/{id}/related' },
  relateItems: {
    method: 'POST',
    path: '/api/memory/items/{item}/relations',
    query: ['project', 'agent_id'],
  },
  unrelateItems: { method: 'DELETE', path: '/api/memory/items/{item}/relations' },
  auditMemory: { method: 'GET', path: '/api/memory/audit' },
  mergeDoubles: { method: 'POST', path: '/api/memory/doubles/merge' },
  importMemory: {
    method: 'POST',
    path: '/api/memory/import',
    either: ['project', 'dry_run'],
    lines: 'lines',
  },
  searchRecords: { method: 'POST', path: '/api/records/search' },
  findRecords: { method: 'POST', path: '/api/records/find' },
  listWorkflows: { method: 'GET', path: '/api/workflows' },
  readWorkflow: { method: 'GET', path: '/api/workflows/{workflow}' },
  listWindows: { method: 'GET', path: '/api/windows', list: 'windows' },
  readWindow: { method: 'GET', path: '/api/windows/{id}' },
  listWindowTurns: { method: 'GET', path: '/api/windows/{id}/turns', list: 'turns' },
  listWindowDecisions: { method: 'GET', path: '/api/windows/{id}/decisions', list: 'decisions' },
  readWindowPrompt: { method: 'GET', path: '/api/windows/{id}/prompt' },
  readWindowBlock: { method: 'GET', path: '/api/windows/{id}/prompt/{block}' },
  readWindowReceipt: { method: 'GET', path: '/api/windows/{id}/receipt' },
  switchWindow: { method: 'POST', path: '/api/windows/{id}/switch' },
  infoldStatus: { method: 'GET', path: '/api/status' },
  listProjects: { method: 'GET', path: '/api/projects' },
  addProject: { method: 'POST', path: '/api/projects', creates: true },
  setProject: { method: 'POST', path: '/api/projects/{project}/settings' },
  createToken: { method: 'POST', path: '/api/tokens', creates: true },
  listTokens: { method: 'GET', path: '/api/tokens' },
  revokeToken: { method: 'DELETE', path: '/api/tokens/{id}' },
  listDenials: { method: 'GET', path: '/api/denials' },
  listLimits: { method: 'GET', path: '/api/limits' },
  readConfig: { method: 'GET', path: '/api/config' },
  readCluster: { method: 'GET', path: '/api/cluster' },
  listTools: { method: 'GET', path: '/api/tools' },
  listConnections: { method: 'GET', path: '/api/connections' },
  startVerification: { method: 'POST', path: '/api/verification', creates: true },
  readVerification: { method: 'GET', path: '/api/verification' },
  loadSamples: { method: 'POST', path: '/api/samples', creates: true },
} as const satisfies Record<string, Route>;
