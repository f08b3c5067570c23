/**
 * Every number of the ranking, in one table. Each lane gives a passage 0 to 1 (the best of this goal has 1), and the
 * fused score is the sum of the lanes by these weights. Found by cross-validation on constructed dialogues
 * (`bench/memory/retrieval.bench.mjs`, `docs/protocols/memory.md`).
 */
export interface Weights {
  /** Words of the goal, by rarity (BM25). */
  text: number;
  /** Above 1, rare words count more than BM25 has it. */
  rarityPower: number;
  /** How fast a repeated word stops counting, and how much longer passages are held back. */
  saturation: number;
  lengthPenalty: number;
  /** A synonym counts this much of the word that the goal uses. */
  synonym: number;
  /** A dog counts this much of a pet. */
  member: number;
  /** A word of the title, of a heading or of a tag counts this much more. */
  heading: number;
  /** Words that stand close together in the goal and in the passage, as a share of their rarity. */
  proximity: number;
  /** The share of the goal's rarity that a passage covers. */
  coverage: number;
  /** What a turn gets from the turn before it, the one before that, the next one, and the one after that. */
  previous: number;
  previous2: number;
  next: number;
  next2: number;
  /** What a turn gets more from the turn before it, where that one asked. */
  asked: number;
  /** 0: a turn gets the whole score of its neighbours; 1: only for words that it does not have itself. */
  complement: number;
  /** How well the whole thread fits (BM25 over threads). */
  thread: number;
  /** Said by the person that the goal names. */
  author: number;
  /** Said in a thread in which that person speaks, by whomever. */
  participant: number;
  /** Said on, or about, the days that the goal names. */
  time: number;
  /** Holds what the goal asks for: a time for "when", a number for "how many". */
  shape: number;
  /** A turn that only asks is seldom the answer. */
  question: number;
  /** Exact names: error codes, files, flags. */
  identifier: number;
  /** Names that the best hits bring, for goals whose answer is two steps away. */
  expansion: number;
  expansionHits: number;
  expansionTerms: number;
  /** An item that a good one is related to. */
  relation: number;
  /** The newest items of otherwise equal ones. */
  recency: number;
  /** What each further item of the same thread loses, so that an answer from several threads is not crowded out. */
  diversity: number;
  /** What an item that was contradicted keeps. */
  contradicted: number;
  /**
   * In a conversation with an assistant, what the person says counts so much more where the goal is about what they said or have
   * ("did I", "my"); what the assistant says, where it is about that ("did you suggest"); and the person's words where it says
   * neither.
   */
  person: number;
  assistant: number;
  personUnasked: number;
  /** A standing wish whose condition the goal meets; and the share of one that is not about the goal's words, or general. */
  wish: number;
  wishUnmet: number;
  wishGeneral: number;
  /** Where the goal asks how something stands now, the later of what matches counts so much more. */
  latest: number;
  /** It says that something has changed ("now", "instead"), where the goal asks how it stands; and where it asks anything else. */
  changed: number;
  changedUnasked: number;
  /** Of otherwise equal ones the later, by how well they match. */
  later: number;
  /** Where it asks how something developed, each further item of a thread loses so much. */
  sequence: number;
  /** Being in the language of the goal, as a share of a word that is as rare. */
  language: number;
  /** 1: what says the same with other values is put in order, the newest first; 0: it stays as it is. */
  updates: number;
  /** So many of the best by the goal's own words alone are never far behind. */
  guard: number;
  /** Near in meaning by a model of embeddings, where one is configured. */
  meaning: number;
}

export const WEIGHTS: Weights = {
  text: 1,
  rarityPower: 1.25,
  saturation: 0.9,
  lengthPenalty: 0.4,
  synonym: 0.5,
  member: 0.42,
  heading: 1.4,
  proximity: 0.2,
  coverage: 0.45,
  previous: 0.5,
  previous2: 0.3,
  next: 0.25,
  next2: 0.15,
  asked: 0.25,
  complement: 0.5,
  thread: 0.5,
  author: 0.4,
  participant: 0.3,
  time: 1.2,
  shape: 0.18,
  question: 0.12,
  identifier: 3,
  expansion: 0.2,
  expansionHits: 4,
  expansionTerms: 5,
  relation: 0.4,
  recency: 0.02,
  diversity: 0.02,
  contradicted: 0.7,
  person: 0.8,
  assistant: 0.8,
  personUnasked: 0.5,
  wish: 0.9,
  wishUnmet: 1,
  wishGeneral: 0.8,
  latest: 0.3,
  changed: 0.2,
  changedUnasked: 0.08,
  later: 0.1,
  sequence: 0.12,
  language: 0.5,
  updates: 1,
  guard: 2,
  meaning: 0.3,
};

/** How far a layer looks. Numbers of rows, so that the cost does not follow the size of the store. */
export interface Reach {
  /** Rows that one word may bring before it counts as common. */
  postings: number;
  /** Passages that are read and scored. */
  pool: number;
  /** Hits whose neighbours in the thread are looked at. */
  hits: number;
  /** Best items whose relations are followed, and over how many steps. */
  related: number;
  steps: number;
}

export const REACH: Record<'wake' | 'recall' | 'deep_search', Reach> = {
  wake: { postings: 1500, pool: 300, hits: 60, related: 10, steps: 1 },
  recall: { postings: 2000, pool: 600, hits: 120, related: 10, steps: 1 },
  deep_search: { postings: 6000, pool: 2000, hits: 300, related: 30, steps: 2 },
};
