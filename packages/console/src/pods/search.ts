/** What follows the “?” in the address of this view. Filters are written as the gateway's own address takes them. */
export interface PodsSearch {
  /** `main`, `conclusions`, `type:a,b` or `id:x`; everything otherwise. */
  contexts?: string | undefined;
  /** With `id:x`: what is nested in it, too. */
  descendants?: true | undefined;
  /** Separated by commas; `*` stands for any text. */
  kinds?: string | undefined;
  /** Broadcasts, and messages to oneself. */
  directed?: true | undefined;
  /** Words that messages must have. */
  find?: string | undefined;
  /** One after the other, as they came, instead of by context. */
  flat?: true | undefined;
  /** A message by its position (`m:12`), or a context (`c:ID`), of the pod and of the one beside it. */
  node?: string | undefined;
  besideNode?: string | undefined;
  /** The position up to which the past is shown; live otherwise. */
  at?: number | undefined;
  besideAt?: number | undefined;
  /** The pod that is shown beside this one. */
  beside?: string | undefined;
  /** Whom the owner of the machine takes part as. */
  as?: string | undefined;
  /** Who is there and what holds in the pod, beside the messages. */
  about?: true | undefined;
}

/** Beside the pod there is room for another, and nobody has said which. No pod has this name. */
export const TO_BE_CHOSEN = '-';

const textOf = (value: unknown): string | undefined => {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text !== '' ? text : undefined;
};
const positionOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
const yes = (value: unknown): true | undefined => (value === true ? true : undefined);
const contextsOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^(main$|conclusions$|type:.|id:.)/s.test(value) ? value : undefined;
const nodeOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^(m:\d+$|c:.)/s.test(value) ? value : undefined;

export const podsSearch = (given: Record<string, unknown>): PodsSearch => ({
  contexts: contextsOf(given.contexts),
  descendants: yes(given.descendants),
  kinds: textOf(given.kinds),
  directed: yes(given.directed),
  find: textOf(given.find),
  flat: yes(given.flat),
  node: nodeOf(given.node),
  besideNode: nodeOf(given.besideNode),
  at: positionOf(given.at),
  besideAt: positionOf(given.besideAt),
  beside: textOf(given.beside),
  as: textOf(given.as),
  about: yes(given.about),
});
