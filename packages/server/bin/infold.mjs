#!/usr/bin/env node
// What hosts run all the time must cost them nothing: nothing of what other commands need is loaded for it.
const QUICK = { hook: './hook.mjs', statusline: './statusline.mjs' };
await import(QUICK[commandIn(process.argv.slice(2))] ?? './program.mjs');

function commandIn(words) {
  const isHelp = words.includes('--help') || words.includes('-h');
  return isHelp ? '' : words.find((word, place) => !word.startsWith('-') && !isValue(words[place - 1]));
}

/** Options of every command may stand before its name. */
function isValue(option) {
  return option === '--data' || option === '--config' || option === '--log-level';
}
