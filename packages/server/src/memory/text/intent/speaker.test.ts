import { expect, test } from 'vitest';
import { purposeOf } from './purpose.ts';
import { speakerIn } from './speaker.ts';

test.each([
  ['What did you suggest for the cache?', 'en', 'assistant'],
  ['Which database did you recommend when I asked about writes?', 'en', 'assistant'],
  ['What was your advice on retries?', 'en', 'assistant'],
  ['Was hast du mir für den Cache empfohlen?', 'de', 'assistant'],
  ['Was war dein Vorschlag zum Umzug?', 'de', 'assistant'],
  ["Qu'est-ce que tu m'as conseillé pour le cache ?", 'fr', 'assistant'],
  ['¿Qué me recomendaste para la caché?', 'es', 'assistant'],
  ['O que você sugeriu para o cache?', 'pt', 'assistant'],
  ['Che cosa mi hai consigliato per la cache?', 'it', 'assistant'],
  ['Wat was jouw voorstel voor de cache?', 'nl', 'assistant'],
  ['Что ты посоветовал для кэша?', 'ru', 'assistant'],
  ['你建议用哪个缓存？', 'en', 'assistant'],
  ['What did I say about the cache?', 'en', 'person'],
  ['In which order did I give you my rules?', 'en', 'person'],
  ['Where is our staging cluster?', 'en', 'person'],
  ['Was habe ich dir über den Cache gesagt?', 'de', 'person'],
  ['Wohin fahren wir im Oktober?', 'de', 'person'],
  ["Qu'est-ce que je t'ai dit du cache ?", 'fr', 'person'],
  ['Can you write me a query for the orders?', 'en', 'person'],
  ['How do I read the events of the last hour?', 'en', undefined],
  ['Which flag should I pass to the linker?', 'en', undefined],
  ['How do I restart my staging cluster?', 'en', 'person'],
  ['How did we fix the flaky test?', 'en', 'person'],
  ['Wie kann ich die Seite beschleunigen?', 'de', undefined],
  ['Wie kann ich unsere Seite beschleunigen?', 'de', 'person'],
  ['Can you list the open ports?', 'en', undefined],
  ['On which day does the release come out?', 'en', undefined],
  ['the retry policy of the gateway', 'en', undefined],
] as const)('"%s" is about the words of: %s %s', (goal, language, speaker) => {
  expect(speakerIn(goal, language)).toBe(speaker);
});

test('what the assistant suggested is asked for, not a suggestion', () => {
  expect(purposeOf('What did you suggest for the cache?')).toBe('recall');
  expect(purposeOf('Suggest something for the cache.')).toBe('act');
});
