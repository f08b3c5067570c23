import { foldForgetter } from '../../fold/forget.ts';
import { gatewayForgetter } from '../../gateway/history/forget.ts';
import { libraryForgetter } from '../../library/forget.ts';
import { memoryForgetter } from '../../memory/forget.ts';
import { transientForgetter } from '../../transient/forget.ts';
import type { Forgetter } from '../../trust/forget.ts';
import { windowForgetter } from '../../window/forget.ts';

/** How each door forgets. */
export const FORGETTERS: readonly Forgetter[] = [
  foldForgetter,
  gatewayForgetter,
  libraryForgetter,
  memoryForgetter,
  transientForgetter,
  windowForgetter,
];
