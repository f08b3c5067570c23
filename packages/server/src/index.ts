/** What an application may use when it embeds the program instead of starting it. */
export { main } from './cli/main.ts';
export { VERSION } from './kernel/version.ts';
