import type { Action } from '../../call/action.ts';
import { readWindowBlock, readWindowPrompt } from './prompt.ts';
import { listWindowDecisions, listWindows, listWindowTurns, readWindow, readWindowReceipt } from './read.ts';
import { switchWindow } from './switch.ts';

/** What is served over HTTP. The door has no tools: no model should have to know of it. */
export const windowActions: readonly Action[] = [
  listWindows,
  readWindow,
  listWindowTurns,
  listWindowDecisions,
  readWindowPrompt,
  readWindowBlock,
  readWindowReceipt,
  switchWindow,
];
