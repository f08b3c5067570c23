/** What `infold demo` runs, with the program that runs it passed in. */
export type { ModelFlags } from './model/model-demo.ts';
export { modelDemo } from './model/model-demo.ts';
export type { DemoProgram, DemoServer } from './program.ts';
export { type DemoFlags, scriptedDemo } from './scripted-demo.ts';
