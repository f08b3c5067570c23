import { Selection, type Weight } from './select.ts';

/** What Docker writes before each line of a step. */
const STEP = /^#\d+ \d+\.\d+ /;
const PROGRESS =
  /^\s*(?:(?:Compiling|Checking|Downloading|Downloaded|Fetching|Updating|Locking|Adding|Installing|Collecting|Requirement already satisfied|Using cached|Obtaining|Building|Unpacking|Setting up|Preparing|Selecting|Reading|Fresh|Documenting|Linking|Generating|Processing|Get:\d+|Hit:\d+|CC|CXX|LD|AR|Entering|Leaving|Resolving|Progress|Scanning|Copying|Removing|Attempting|Looking in|asset|modules by path|orphan modules|runtime modules|transforming|rendering)\b|\[ *\d+(?:%|\/\d+)\] |#\d+ (?:\[|sha256|extracting|transferring|CACHED|DONE|resolve|naming|exporting)|(?:\/\S{1,200}\/)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|ar|ld|libtool:|rustc|javac|make\[\d+\]:) |npm (?:http|timing|sill|silly|verb|verbose) |➤ YN0000|\S{1,200} +[\d.,]+ [kKM]i?B\b|Step \d+\/\d+ |---> |> Task :|\[INFO\] )/;
const ERROR =
  /\b(?:error|errors|fatal|failed|failure|undefined reference|unresolved|could not|cannot|unable to|no such file|not found|denied|exception|traceback|panicked)\b|Error\b|[✗✘✖×❌]|npm ERR!|\bERR_\w|\b(?:ERESOLVE|ENOENT|EACCES|ENOTFOUND|ETARGET|E40[134])\b/i;
const WARNING = /\bwarn(?:ing)?s?\b|\bdeprecated\b|⚠/i;
const SUMMARY =
  /\b(?:\d+ (?:errors?|warnings?|problems?|packages?|vulnerabilit\w+)|Found \d+|Finished|built in|Successfully|Done in|Checked \d+|BUILD (?:SUCCESS|FAIL)\w*)\b/i;
/** Code with a mark at what is meant, and what is said about it. */
const FRAME = /^\s{0,12}(?:>?\s{0,8}\d{0,7}\s{0,8}\d{0,7}\s{0,8}[│|]|[~^]{1,200}|-->|= (?:note|help)|[iℹ] )/;
/** A line that says where what the next one tells is. */
const PLACE = /^\s{0,4}(?:In file included |from )?(?:[\w.@~-]*[/\\])?[^\s:]{1,300}\.\w{1,8}(?::|\(|\s|$)/;

/**
 * Shortens what compilers, linters and installers print: errors with their places, warnings and totals stay. `share` of the
 * lines has to look like that.
 */
export function shortenBuild(lines: readonly string[], share: number): string | undefined {
  const selection = new Selection(lines);
  let known = 0;
  let filled = 0;
  let detail: Weight = 0;
  let place = -9;
  for (const [index, whole] of lines.entries()) {
    const step = STEP.exec(whole.slice(0, 40))?.[0] ?? '';
    const line = whole.slice(step.length, step.length + 400);
    if (line.trim() === '') {
      // Biome and tsc leave a line free between what is wrong and where it is.
      if (lines[index + 1]?.trim() === '' || !/^\s|^\d+ /.test(lines[index + 1] ?? '')) detail = 0;
      continue;
    }
    filled++;
    const isProgress = PROGRESS.test(line) || (step !== '' && !ERROR.test(line) && !WARNING.test(line));
    if (isProgress && !/\b(?:error|fatal|warning)\b ?[:[]|npm ERR!/i.test(line)) {
      known++;
      detail = 0;
      place = -9;
    } else if (SUMMARY.test(line)) {
      known++;
      detail = 0;
      selection.mark(index, 3, ERROR.test(line) ? 'with errors' : undefined);
    } else if (ERROR.test(line) || WARNING.test(line)) {
      const isWarning = !ERROR.test(line) || /^[^'"`]{0,300}\bwarn(?:ing)?\b/i.test(line);
      const weight: Weight = isWarning ? 2 : 3;
      known++;
      detail = isWarning ? 1 : 2;
      selection.mark(index, weight, isWarning ? 'with warnings' : 'with errors');
      if (index - place <= 2) selection.raise(place, weight);
      place = -9;
    } else {
      if (detail > 0 && FRAME.test(line)) known++;
      selection.mark(index, detail);
      place = PLACE.test(line) ? index : place;
    }
  }
  return known >= 8 && known >= filled * share ? selection.text(4, 8) : undefined;
}
