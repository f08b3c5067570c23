import type { Action } from '../../call/action.ts';
import { addProject, setProject } from './change-projects.ts';
import { listConnections } from './list-connections.ts';
import { listDenials } from './list-denials.ts';
import { listLimits } from './list-limits.ts';
import { listProjects } from './list-projects.ts';
import { listTools } from './list-tools.ts';
import { loadSamples } from './load-samples.ts';
import { readCluster } from './read-cluster.ts';
import { readConfig } from './read-config.ts';
import { status } from './status.ts';
import { createToken, listTokens, revokeToken } from './tokens.ts';
import { readVerification, startVerification } from './verification.ts';

/** What is served over HTTP. */
export const systemActions: readonly Action[] = [
  status,
  listProjects,
  addProject,
  setProject,
  createToken,
  listTokens,
  revokeToken,
  listDenials,
  listLimits,
  readConfig,
  readCluster,
  listTools,
  listConnections,
  startVerification,
  readVerification,
  loadSamples,
];
