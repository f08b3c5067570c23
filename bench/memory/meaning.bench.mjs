import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { benchmark, interleave, time } from '../harness.mjs';
import { temporaryFolder } from '../support/server-process.mjs';
import { goals, randomFrom, sentence, wordOf } from './retrieval/bulk.mjs';
import { openStore, quantile } from './store.mjs';

const TOKENS = 30_000;
const DIMENSIONS = 256;
const GOALS_A_ROUND = 40;
const WRITES_A_ROUND = 200;

/** What the lane of meaning adds to a pack and to an item that is stored, with a static model. */
export default benchmark({
  target:
    'at most 10 ms added to a pack at 100,000 items, and 1 ms to a stored item, with a model of 30,000 × 256',
  async run({ quick }) {
    const items = quick ? 30_000 : 100_000;
    const rounds = quick ? 3 : 12;
    const bare = await openStore(items);
    const store = await openStore(items, { path: writeModel(join(temporaryFolder(), 'made')) });
    const making = await time(async () => {
      store.begin();
      while (store.vectors() < items) await pause(50);
    });
    let seed = 0;
    /** @type {{ ours: number[], floor: number[] }} */
    const slow = { ours: [], floor: [] };
    const packs = async (/** @type {boolean} */ isPlain) => {
      const samples = [];
      for (const goal of goals(GOALS_A_ROUND, Math.floor(++seed / 2)))
        samples.push(await time(() => store.context(goal, { isPlain })));
      slow[isPlain ? 'floor' : 'ours'].push(quantile(samples, 0.95));
      return quantile(samples, 0.5);
    };
    const usual = await interleave({ rounds, ours: () => packs(false), floor: () => packs(true) });
    // The first round warms up.
    for (const samples of Object.values(slow)) samples.shift();

    const random = randomFrom(5);
    /** Processor time for one item after the other, up to the last vector. @param {typeof store} to */
    const stored = async (to) => {
      const before = process.cpuUsage();
      const wanted = to.vectors() + WRITES_A_ROUND;
      for (let write = 0; write < WRITES_A_ROUND; write++) await to.remember(sentence(random, 18));
      while (to === store && to.vectors() < wanted) await pause(100);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000 / WRITES_A_ROUND;
    };
    const writes = await interleave({ rounds, ours: () => stored(store), floor: () => stored(bare) });
    await Promise.all([store.close(), bare.close()]);
    return [
      against('p50 of `context` with a lane of meaning, at 100,000 items', 'ms', usual),
      against('p95 of `context` with a lane of meaning, at 100,000 items', 'ms', slow),
      atMost('added to the p50 of `context` by meaning, at 100,000 items', 10, added(usual)),
      atMost('added to the p95 of `context` by meaning, at 100,000 items', 10, added(slow)),
      atMost('added to an item that is stored: processor time until it has its vector', 1, added(writes)),
      atMost('a vector of an item that was there before', 1, [making / items]),
    ];
  },
});

/** @param {{ ours: number[], floor: number[] }} samples */
function added({ ours, floor }) {
  return ours.map((value, index) => value - (floor[index] ?? 0));
}

/** @param {string} what @param {string} unit @param {{ ours: number[], floor: number[] }} samples */
function against(what, unit, samples) {
  return { what, unit, against: 'the same without it', ...samples };
}

/** @param {string} what @param {number} most @param {number[]} ours */
function atMost(what, most, ours) {
  return {
    what,
    unit: 'ms',
    against: 'target',
    ours,
    floor: ours.map(() => most),
    limit: { ratioAtMost: 1 },
  };
}

/** A folder with as many tokens as models of this kind have: common words whole, others in pieces. @param {string} folder */
function writeModel(folder) {
  const random = randomFrom(11);
  const letters = [...'abcdefghijklmnopqrstuvwxyz0123456789.?'];
  const tokens = new Set(['[UNK]', ...letters, ...letters.map((letter) => `##${letter}`)]);
  for (let rank = 0; tokens.size < TOKENS / 2; rank++) tokens.add(wordOf(rank));
  for (let rank = 0; tokens.size < TOKENS; rank++) tokens.add(`##${wordOf(rank)}`);
  const numbers = Float32Array.from({ length: TOKENS * DIMENSIONS }, () => random() + random() - 1);
  const header = {
    embeddings: { dtype: 'F32', shape: [TOKENS, DIMENSIONS], data_offsets: [0, numbers.byteLength] },
  };
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'model.safetensors'),
    Buffer.concat([length, text, Buffer.from(numbers.buffer)]),
  );
  const vocab = Object.fromEntries([...tokens].map((token, index) => [token, index]));
  writeFileSync(
    join(folder, 'tokenizer.json'),
    JSON.stringify({
      normalizer: { type: 'BertNormalizer', lowercase: true },
      pre_tokenizer: { type: 'BertPreTokenizer' },
      model: { type: 'WordPiece', unk_token: '[UNK]', vocab },
    }),
  );
  return folder;
}
