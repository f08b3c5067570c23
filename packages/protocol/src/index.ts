export * from './context-state.ts';
export * from './errors.ts';
export * from './fold.ts';
export * from './ids.ts';
export * from './limits.ts';
export * from './status.ts';
export * from './tool-error.ts';
