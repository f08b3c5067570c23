import { COMPOUNDING, partsOf, partTerm } from '../text/compounds.ts';
import { FLAG } from '../text/flags.ts';
import type { Role } from '../text/intent/roles.ts';
import type { Candidate, Pool, WeighedConcept } from './candidates.ts';
import { TermSigns } from './stored-terms.ts';
import type { Weights } from './weights.ts';

export interface TextScore {
  score: number;
  /** Places of the concepts that were found, for reasons and for threads. */
  matched: number[];
  /** What each concept gave, for the turns around this one. */
  given: Float64Array;
  /** By the goal's own words alone, as BM25 has it: nothing stands in for them, and nothing else counts. */
  plain: number;
}

/** How far apart two words of the goal may stand in a passage to count as together. */
const NEAR = 4;
/** What textbooks give BM25. */
const PLAIN = { saturation: 1.2, lengthPenalty: 0.75 };

/** Which concept a term stands for, and what that is worth. */
interface Place {
  index: number;
  weight: number;
  isOwn: boolean;
}

/** BM25 over the words of the goal, with synonyms, headings, words that stand together, and coverage. */
export class TextLane {
  readonly #pool: Pool;
  readonly #weights: Weights;
  readonly #places = new Map<string, Place[]>();
  readonly #signs = new TermSigns();
  readonly #plain: Float64Array;
  readonly #total: number;
  /** Whose words count more, and by how much. */
  readonly #favoured: Role;
  readonly #favour: number;
  /** Parts of compounds are in the index, but not among the terms of a passage. */
  #hasParts = false;

  constructor(pool: Pool, weights: Weights, speaker: Role | undefined) {
    this.#pool = pool;
    this.#weights = weights;
    this.#favoured = speaker ?? 'person';
    this.#favour = 1 + (speaker === undefined ? weights.personUnasked : weights[speaker]);
    for (const [index, concept] of pool.concepts.entries()) {
      for (const form of concept.forms) this.#note(form, index, concept.rarity, true);
      for (const synonym of concept.synonyms) {
        this.#note(synonym, index, weights.synonym * concept.synonymRarity);
      }
      for (const member of concept.members) this.#note(member, index, weights.member * concept.memberRarity);
      for (const [place, terms] of concept.parts.entries()) {
        for (const term of terms) this.#note(term, index, weights.synonym * concept.partRarities[place]!);
      }
      this.#hasParts ||= concept.parts.length > 0;
    }
    this.#plain = Float64Array.from(pool.concepts, ({ rarity }) => rarity ** (1 / weights.rarityPower));
    this.#total = pool.concepts.reduce((sum, concept) => sum + concept.rarity, 0) || 1;
  }

  #note(term: string, index: number, weight: number, isOwn = false): void {
    if (weight <= 0) return;
    const list = this.#places.get(term) ?? [];
    list.push({ index, weight, isOwn });
    this.#places.set(term, list);
    this.#signs.add(term);
  }

  score(candidate: Candidate): TextScore {
    const { saturation, lengthPenalty, heading, proximity, coverage } = this.#weights;
    const { concepts } = this.#pool;
    const best = new Float64Array(concepts.length);
    const counts = new Float64Array(concepts.length);
    const own = new Float64Array(concepts.length);
    // Words can stand together only where there are two.
    const positions: number[][] = concepts.length === 1 ? [] : concepts.map(() => []);
    const take = (term: string, position: number, factor: number) => {
      const places = this.#places.get(term);
      if (!places) return;
      for (const { index, weight, isOwn } of places) {
        best[index] = Math.max(best[index]!, weight * factor);
        counts[index]! += 1;
        if (isOwn) own[index]! += 1;
        if (position >= 0) positions[index]?.push(position);
      }
    };
    const { language, terms } = candidate;
    const count = terms.find(this.#signs, (term, position) => take(term, position, 1));
    if (this.#hasParts && language !== undefined && COMPOUNDING.has(language)) {
      for (const [position, term] of terms.all.entries()) {
        for (const part of partsOf(language, term)) take(partTerm(part), position, 1);
      }
    }
    if (candidate.heading !== '') for (const term of candidate.heading.split(' ')) take(term, -1, heading);

    const length = count / this.#pool.averageWords;
    const norm = saturation * (1 - lengthPenalty + lengthPenalty * length);
    const plainNorm = PLAIN.saturation * (1 - PLAIN.lengthPenalty + PLAIN.lengthPenalty * length);
    const matched: number[] = [];
    let plain = 0;
    let score = 0;
    let covered = 0;
    for (let index = 0; index < concepts.length; index++) {
      if (best[index] === 0) continue;
      matched.push(index);
      const frequency = counts[index]!;
      plain += (this.#plain[index]! * own[index]! * (PLAIN.saturation + 1)) / (own[index]! + plainNorm);
      covered += best[index]!;
      best[index] = best[index]! * ((frequency * (saturation + 1)) / (frequency + norm));
      score += best[index]!;
    }
    if (language !== undefined && language === this.#pool.language?.code) score += this.#pool.language.rarity;
    if (score === 0) return { score, matched, given: best, plain };
    score += proximity * this.#together(concepts, positions);
    score *= 1 + coverage * Math.min(1, covered / this.#total);
    if ((candidate.flags & FLAG[this.#favoured]) !== 0) score *= this.#favour;
    return { score, matched, given: best, plain };
  }

  /** Neighbouring words of the goal that also stand together here. */
  #together(concepts: readonly WeighedConcept[], positions: readonly number[][]): number {
    let sum = 0;
    for (let one = 0; one < concepts.length; one++) {
      const here = positions[one];
      if (!here || here.length === 0) continue;
      for (let other = one + 1; other < concepts.length; other++) {
        const there = positions[other]!;
        if (there.length === 0) continue;
        const apart = Math.abs(concepts[one]!.place - concepts[other]!.place);
        if (apart > NEAR) continue;
        const distance = closest(here, there);
        if (distance > 0 && distance <= NEAR) {
          sum += Math.min(concepts[one]!.rarity, concepts[other]!.rarity) / Math.max(1, distance - 0.5);
        }
      }
    }
    return sum;
  }
}

function closest(one: readonly number[], other: readonly number[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const here of one) for (const there of other) least = Math.min(least, Math.abs(here - there) || least);
  return least;
}
