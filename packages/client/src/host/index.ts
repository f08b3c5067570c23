export { type ChatCall, type ChatMessage, type ChatPart, chatCall } from './chat.ts';
export { dataFolder, Hooks, type HooksOptions, type Payload, STARTING } from './hooks.ts';
export { newHandle, sha256 } from './ids.ts';
export { FileMemory, type Said } from './memory.ts';
export { hostModel, type ListedModel } from './model.ts';
export {
  type Arrangement,
  type HostModel,
  type HostRequest,
  HostWindow,
  type HostWindowOptions,
  type Kept,
  type WindowLine,
  type WindowMemory,
} from './window.ts';
