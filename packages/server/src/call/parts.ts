/**
 * What actions work with besides the journal: a library, records, the gateway. Each door adds what is its own by
 * declaration merging; the composition root makes them when they are first asked for.
 */
// biome-ignore lint/suspicious/noEmptyInterface: doors add to it
export interface Parts {}
