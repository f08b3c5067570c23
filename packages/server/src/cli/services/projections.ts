import { foldProjection } from '../../fold/projection.ts';
import { gatewayProjection } from '../../gateway/projection.ts';
import type { Projection } from '../../journal/projections/projector.ts';
import { attestationProjection } from '../../library/projection/attestation.ts';
import { evidenceProjection } from '../../library/projection/evidence.ts';
import { hubProjection } from '../../library/projection/hub.ts';
import { libraryProjection } from '../../library/projection/library.ts';
import { webhookProjection } from '../../library/projection/webhooks.ts';
import { workspacesProjection } from '../../library/projection/workspaces.ts';
import { memoryProjection } from '../../memory/projection/index.ts';
import { useProjection } from '../../memory/use/projection.ts';
import { transientProjection } from '../../transient/projection.ts';
import { identityProjection } from '../../trust/identity/projection.ts';
import { sessionProjection } from '../../trust/sessions/projection.ts';
import { windowProjection } from '../../window/projection.ts';

/** Every table of the file, in the order in which an entry is applied to them. */
export const PROJECTIONS: readonly Projection[] = [
  identityProjection,
  sessionProjection,
  foldProjection,
  libraryProjection,
  attestationProjection,
  hubProjection,
  webhookProjection,
  workspacesProjection,
  evidenceProjection,
  memoryProjection,
  useProjection,
  transientProjection,
  gatewayProjection,
  windowProjection,
];
