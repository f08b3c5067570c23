import { Selection } from './select.ts';

/** What test programs end with: one of these lines has to be there. */
const FORMS = anyOf([
  /^\s*Test Files {2}\d+ |^\s*Tests:? +\d.*(?:\(\d+\)|total)$/, // Vitest, Jest
  /^\s*\d+ passing\b/, // Mocha
  /^(?:TAP version \d+|1\.\.\d+|[#ℹ] tests \d+)\s*$/, // TAP, node:test
  /^(?:=+ )?\d+ (?:passed|failed|errors?|skipped)\b.* in [\d.]+s\b/, // pytest
  /^Ran \d+ tests? in [\d.]+s$/, // unittest
  /^test result: (?:ok|FAILED)\. \d+ passed/, // cargo
  /^(?:ok|FAIL) {0,2}\t\S+\t|^--- (?:PASS|FAIL): /, // go
  /Tests run: \d+, Failures: \d+|^\d+ tests? completed\b|^\S.* > .+ (?:PASSED|FAILED)$/, // Maven, Gradle
  /^\d+ examples?, \d+ failures?/, // RSpec
  /^OK \(\d+ tests?, \d+ assertions?\)|^Tests: \d+, Assertions: \d+/, // PHPUnit
  /^(?:Passed|Failed)! +- Failed: +\d+|^Total tests: \d+/, // dotnet
  /^\s*\d+ pass$/, // Bun
]);

/** One expression is several times as fast as a dozen. */
function anyOf(forms: RegExp[]): RegExp {
  return new RegExp(forms.map((form) => form.source).join('|'));
}

const PASSED =
  /^\s*(?:[✓✔√]|ok \d+\b|ok {0,2}\t|PASS\b|--- (?:PASS|SKIP)|=== (?:RUN|PAUSE|CONT|NAME)|\(pass\)|\[ +(?:OK|RUN) +\]|Passed \S|\[INFO\] (?:Running|Tests run: \d+, Failures: 0, Errors: 0, .{0,60}Time elapsed))/;
const PASSED_END = /(?: \.\.\. (?:ok|ignored|skipped\b.{0,200})| PASSED(?: +\[ *\d+%\])?)$/;
const DOTS = /^(?:\S+\.\w+ )?[.,sSx·*]{4,}(?: +\[ *\d+%\]| +\d+ \/ \d+ \( *\d+%\))?$/;

const FAILED =
  /^\s*(?:[✗✘✖×✕❌]|❯ .{1,300} \| \d+ failed|not ok\b|FAIL(?:ED|URE|URES)?\b|ERRORS?\b|--- FAIL|● |\(fail\)|\d+\) |---- .{1,300} stdout ----$|_{3,} .{1,300} _{3,}$|={3,} (?:FAILURES|ERRORS)\b|Failures?:|failures:|Traceback \(|thread '.{1,300}' (?:\(\d+\) )?panicked|panic: |Failed \S|\[ERROR\]|\[ +FAILED)/;
const FAILED_END = /(?: \.\.\. (?:FAIL|ERROR|FAILED)| (?:FAILED|ERROR)(?: +\[ *\d+%\])?|\(FAILED - \d+\))$/;
const SUMMARY =
  /^\s*(?:Test Files|Tests|Test Suites|Snapshots|Type Errors|Errors|Duration|Time):? +\S|^\s*\d+ (?:passing|failing|pending|pass|fail)\b|^[#ℹ] (?:tests|suites|pass|fail|cancelled|skipped|todo) \d|^running \d+ tests?|^All files\b|^BUILD |^\[INFO\] BUILD|^\[INFO\] Total/;
const ERROR =
  /\b(?:error|errors|exception|fatal|panic|segmentation fault|unhandled|uncaught|timed out)\b|Error\b/i;
const WARNING = /\bwarn(?:ing)?s?\b/i;
/** Frames of the runner and of the language itself. */
const FOREIGN_FRAME =
  /node:internal|node_modules|\/rustc\/|site-packages|java\.base|org\.junit|jdk\.internal|std::(?:rt|panicking)|core::(?:ops|panicking)/;

/** Where it failed. */
const PLACE = /^\s*(?:❯|at|-->|File "|#) ?\S/;

/** Shortens a test run: the failures with all that belongs to them, errors, warnings and totals stay. */
export function shortenTests(lines: readonly string[]): string | undefined {
  if (!lines.some((line) => line !== '' && line.length < 400 && FORMS.test(line))) return undefined;
  const selection = new Selection(lines);
  let isFailure = false;
  for (const [index, whole] of lines.entries()) {
    const line = whole.slice(0, 400).trimEnd();
    if (line === '') {
      if (isFailure) selection.mark(index, 2);
      continue;
    }
    if (PASSED.test(line) || PASSED_END.test(line) || DOTS.test(line)) {
      isFailure = false;
      selection.mark(index, 0, 'of passing tests');
    } else if (FAILED.test(line) || FAILED_END.test(line)) {
      isFailure = true;
      selection.mark(index, 3, 'with failures');
    } else if (SUMMARY.test(line) || FORMS.test(line)) {
      isFailure = false;
      selection.mark(index, 3);
    } else if (/^# Subtest: |^(?:stdout|stderr) \| /.test(line)) {
      isFailure = false;
    } else if (ERROR.test(line) && !FOREIGN_FRAME.test(line)) {
      selection.mark(index, isFailure ? 3 : 2, 'with errors');
    } else if (isFailure) {
      selection.mark(index, FOREIGN_FRAME.test(line) ? 1 : PLACE.test(line) ? 3 : 2);
    } else if (WARNING.test(line)) {
      selection.mark(index, 1, 'with warnings');
    }
  }
  return selection.text(4, 10);
}
