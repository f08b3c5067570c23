import type { CompiledOptions } from '../options.ts';
import { families } from '../rules/index.ts';
import { NAME_WORDS } from '../rules/names.ts';
import { type Automaton, lazyAutomaton } from '../text/automaton.ts';
import { decodeRun, ENCODED_PREFIXES, encodedPrefixes } from '../text/base64.ts';
import { isInsideWord } from '../text/characters.ts';
import { decodeWindow, ESCAPE_LITERALS, noteEscape } from '../text/escapes.ts';
import { isOwnId } from '../text/placeholder.ts';
import {
  contextDetector,
  type Detector,
  nameDetector,
  type Pass,
  specialDetectors,
  tokenDetector,
} from './detectors.ts';
import { mergeFindings } from './findings.ts';
import { type Finding, Rank } from './types.ts';

export interface Engine {
  /** All findings of a text, in order and without overlap. */
  find(text: string): Finding[];
}

/** Encodings are followed this deep: base64 inside an escaped text, and no further. */
const DEEPEST = 2;

/** Every rule as one automaton whose literals lead to the detectors to run there. */
export function createEngine(options: CompiledOptions): Engine {
  const automaton = compile(options, search);

  function search(text: string, depth: number): Finding[] {
    const pass: Pass = {
      text,
      depth,
      runStart: 0,
      runEnd: 0,
      runJudged: 0,
      findings: [],
      covered: 0,
      judgedName: -1,
      guessedTo: 0,
      cookiesTo: 0,
      keysTo: 0,
      switchedOn: new Set(),
      escapes: [],
      decodedTo: [0, 0, 0, 0],
      refused: new Map(),
    };
    automaton.scan(text, (hits, end) => {
      for (const { length, payload } of hits) {
        const start = end - length;
        if (start < pass.covered || (payload.bounded && isInsideWord(text, start))) continue;
        for (const detector of payload.detectors) detector(pass, start, end);
      }
      return pass.covered;
    });
    options.run(pass);
    if (depth < DEEPEST) {
      for (const window of pass.escapes) {
        const decoded = decodeWindow(text, window);
        if (decoded === undefined) continue;
        for (const finding of search(decoded.text, DEEPEST)) {
          pass.findings.push({
            ...finding,
            start: decoded.origin(finding.start),
            end: decoded.origin(finding.end),
          });
        }
      }
    }
    return mergeFindings(pass.findings);
  }

  return {
    find: (text) =>
      search(text, 0).filter(
        (finding) => !isOwnId(text.slice(finding.start, finding.end)) && !options.isAllowed(text, finding),
      ),
  };
}

type Search = (text: string, depth: number) => Finding[];

/** What to run where a literal was found. */
interface Reaction {
  detectors: Detector[];
  /** All of them want the literal at the beginning of a word. */
  bounded: boolean;
}

function compile(options: CompiledOptions, search: Search): Automaton<Reaction> {
  const literals = new Map<string, Reaction>();
  const add = (literal: string, detector: Detector, bounded = false): void => {
    const key = literal.toLowerCase();
    const reaction = literals.get(key);
    if (reaction === undefined) literals.set(key, { detectors: [detector], bounded });
    else {
      reaction.detectors.push(detector);
      reaction.bounded &&= bounded;
    }
  };
  for (const family of families) {
    for (const rule of family.tokens ?? []) {
      for (const keyword of rule.keywords) add(keyword, tokenDetector(rule, keyword), rule.left !== 'none');
    }
    for (const rule of family.contexts ?? []) {
      const detector = contextDetector(rule);
      for (const name of rule.names) add(name, detector);
    }
  }
  for (const word of NAME_WORDS) add(word, nameDetector);
  for (const [literal, detector] of specialDetectors) add(literal, detector);
  for (const [keyword, detector] of options.triggers) add(keyword, detector);
  for (const literal of ESCAPE_LITERALS) {
    add(literal, (pass, start) => noteEscape(pass.escapes, start, pass.text.length));
  }
  for (const prefix of ENCODED_PREFIXES) {
    for (const { literal, phase } of encodedPrefixes(prefix))
      add(literal, base64Detector(literal, phase, search));
  }
  return lazyAutomaton(literals);
}

/** Decodes the base64 text around the literal; if a known format is inside, the whole of it goes. */
function base64Detector(literal: string, phase: number, search: Search): Detector {
  return (pass, start) => {
    const step = (start - phase) & 3;
    if (start < pass.decodedTo[step]! || pass.depth >= DEEPEST || !pass.text.startsWith(literal, start))
      return;
    const run = decodeRun(pass.text, start, phase);
    if (run === undefined) return;
    pass.decodedTo[step] = run.end;
    const inside = search(run.decoded, pass.depth + 1).find((finding) => finding.rank === Rank.format);
    if (inside === undefined) return;
    pass.findings.push({ start: run.start, end: run.end, kind: inside.kind, rank: Rank.format });
    pass.covered = Math.max(pass.covered, run.end);
  };
}
