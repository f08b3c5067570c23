#!/usr/bin/env node
// A hook must cost its host nothing: nothing of what other commands need is loaded for it.
await import(isHook(process.argv.slice(2)) ? './hook.mjs' : './program.mjs');

function isHook(words) {
  const isHelp = words.includes('--help') || words.includes('-h');
  return (
    !isHelp && words.find((word, place) => !word.startsWith('-') && !isValue(words[place - 1])) === 'hook'
  );
}

/** Options of every command may stand before its name. */
function isValue(option) {
  return option === '--data' || option === '--config' || option === '--log-level';
}
