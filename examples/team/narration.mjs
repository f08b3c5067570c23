/** Who does what, as it happens. Silent for scripts. */
export function narrator(isSilent) {
  if (isSilent) return () => {};
  return (who, text) => process.stdout.write(`${who.padEnd(9)} ${text}\n`);
}

const grouped = (number) => number.toLocaleString('en-GB');

/** What collapsing and folding kept out of the analyst's prompts. */
export function costLines({ turns, results, last_prompt, largest_prompt, all_prompts }) {
  const line = (name, { sent, whole }) =>
    `  ${name.padEnd(16)}${grouped(sent).padStart(9)}${grouped(whole).padStart(12)}   × ${(sent / whole).toFixed(2)}`;
  return [
    '',
    `What it cost: ${turns} turns, ${results.collapsed} results collapsed, in o200k tokens`,
    `  ${''.padEnd(16)}${'sent'.padStart(9)}${'otherwise'.padStart(12)}`,
    line('last prompt', last_prompt),
    line('largest prompt', largest_prompt),
    line('all prompts', all_prompts),
  ];
}

/** Each number with where it came from; one that differs is shown from every source. */
export function checkLines(checks) {
  return [
    '',
    'What everybody says of it:',
    ...checks.flatMap(({ name, ok, sources }) => {
      const names = Object.keys(sources);
      if (!ok) {
        const told = names.map((source) => `      ${source}: ${shown(sources[source])}`);
        return [`  ✗ ${name}`, ...told];
      }
      return [`  ✓ ${name}: ${shown(sources[names[0]])}`, `      ${names.join(', ')}`];
    }),
    '',
  ];
}

const LONGEST = 90;

/** Lists and longer texts by their size: the numbers are what is looked at. */
function shown(value) {
  if (Array.isArray(value) && value.length > 3) return `${value.length} of them, the same`;
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
