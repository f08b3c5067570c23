import { similarity, toCodes } from './codes.ts';
import type { Embedder } from './embedder.ts';

/** Sentences that have nothing to do with each other, as people and programs write them. */
const SENTENCES = [
  'The ferry to the island leaves at half past six in the morning.',
  'Use a prepared statement so that the query plan is cached.',
  'My grandmother taught me how to bake rye bread.',
  'The invoice of March has not been paid yet.',
  'A kernel upgrade broke the driver of the network card.',
  'She finished her second marathon in under four hours.',
  'The committee postponed its vote until autumn.',
  'Tomatoes need a lot of sun and should not be watered from above.',
  'We agreed to write error messages in plain English.',
  'His dog is afraid of thunderstorms.',
  'The unit tests pass locally but time out on the build machine.',
  'An old violin was sold at the auction for a record price.',
  'Please rotate the access token before Friday.',
  'The glacier has retreated by two kilometres since 1950.',
  'They are looking for a flat with three rooms near the university.',
  'The patient was given antibiotics for ten days.',
  'Rename the column and migrate the existing rows.',
  'Our team lost the final after extra time.',
  'The novel tells of a lighthouse keeper and his daughter.',
  'Interest rates are expected to fall next year.',
  'Turn left after the bridge and follow the canal.',
  'The colour of the button does not match the design.',
  'He repairs clocks in a small shop behind the station.',
  'Memory usage grows with every uploaded picture.',
];

/** Share of pairs that are less similar than what counts as similar. */
const BELOW = 0.8;
const LEAST = 0.1;
const MOST = 0.9;

/** What similarity does not say anything yet: models differ in how similar they find what is unrelated. */
export async function floorOf(embedder: Embedder, signal: AbortSignal): Promise<number> {
  const vectors = await embedder.embed(SENTENCES, signal);
  const pairs: number[] = [];
  const codes = new Int8Array(embedder.dimensions);
  for (const [index, one] of vectors.entries()) {
    const scale = toCodes(one, codes);
    for (const other of vectors.slice(index + 1)) pairs.push(similarity(other, codes, scale));
  }
  const sorted = pairs.sort((one, other) => one - other);
  return Math.min(MOST, Math.max(LEAST, sorted[Math.floor(sorted.length * BELOW)]!));
}
