import { countTokens } from 'gpt-tokenizer';

export const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
export const idsOf = (items) => items.map(({ id }) => id);
export const named = (items, wanted) => items.find(({ id }) => id === wanted) ?? {};
/** Messages by position and id: equal lists are the same messages in the same order. */
export const placesOf = (messages) => messages.map(({ id, seq }) => `${seq} ${id}`);

/** The words of payloads, counted by another program than the server. */
export function recounted(messages) {
  const texts = messages.map(({ payload }) =>
    Object.values(payload).filter((value) => typeof value === 'string'),
  );
  return sum(texts.map((words) => countTokens(words.join('\n'))));
}
