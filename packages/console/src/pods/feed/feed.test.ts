import { ApiError } from '@infold/client/api';
import { describe, expect, test } from 'vitest';
import { message } from '../pods.suite.ts';
import { PodFeed } from './feed.ts';

interface Asked {
  order?: string;
  limit: number;
  since?: string;
  before?: string;
}

/** A server with messages from 1 on, that answers as the real one does. */
function served(count: number) {
  const all = Array.from({ length: count }, (_, index) => message(index + 1));
  const asked: Asked[] = [];
  const api = {
    async listPodMessages({ order, limit, since = '0', before = '999999999' }: Asked) {
      asked.push({ order, limit, since, before } as Asked);
      await new Promise((resolve) => setTimeout(resolve));
      const inside = all.filter(({ seq }) => seq > Number(since) && seq < Number(before));
      const ordered = order === 'newest' ? inside.toReversed() : inside;
      const messages = ordered.slice(0, limit);
      return { messages, next: messages.length < ordered.length ? String(messages.at(-1)!.seq) : null };
    },
  };
  return { feed: new PodFeed(api as never, 'p'), all, asked, api };
}
const range = ({ messages }: PodFeed) => [messages[0]?.seq, messages.at(-1)?.seq, messages.length];

describe('a feed', () => {
  test('begins with the newest, and goes back page by page to the first', async () => {
    const { feed } = served(3000);
    await feed.begin();
    expect(range(feed)).toEqual([2701, 3000, 300]);
    await Promise.all([feed.older(), feed.older()]);
    while (feed.hasOlder) await feed.older();
    expect(range(feed)).toEqual([1, 3000, 3000]);
  });

  test('misses nothing that was said before it was told, and has nothing twice', async () => {
    const { feed, all } = served(500);
    await feed.begin();
    for (let seq = 501; seq <= 520; seq++) all.push(message(seq));
    // The connection tells of the last ones while those before are still asked for.
    const meeting = feed.meet();
    feed.receive([all[518]!, all[519]!]);
    await meeting;
    expect(range(feed)).toEqual([201, 520, 320]);
    feed.receive([all[519]!, message(521)]);
    expect(range(feed)).toEqual([201, 521, 321]);
    expect(feed.isMet).toBe(true);
  });

  test('goes on from where it was when the connection comes back', async () => {
    const { feed, all, asked } = served(10);
    await feed.begin();
    await feed.meet();
    feed.part();
    for (let seq = 11; seq <= 1500; seq++) all.push(message(seq));
    await feed.meet();
    expect(range(feed)).toEqual([1, 1500, 1500]);
    expect(asked.at(-1)).toMatchObject({ since: '1010' });
  });

  test('that is not told hears of news while it reads, and asks once for all of them', async () => {
    const { feed, all, asked } = served(1500);
    await feed.begin();
    const reading = feed.older();
    all.push(message(1501), message(1502));
    await Promise.all([feed.hear(), feed.hear(), feed.hear(), reading]);
    expect(feed.messages.at(-1)?.seq).toBe(1502);
    expect(asked).toHaveLength(3);
  });

  test('tries again what failed, whatever that was', async () => {
    const { feed, api } = served(3000);
    await feed.begin();
    const answer = api.listPodMessages;
    api.listPodMessages = () => Promise.reject(new TypeError('no answer'));
    await feed.older();
    expect(feed.problem).toBeInstanceOf(TypeError);
    api.listPodMessages = answer;
    await feed.retry();
    expect([feed.problem, ...range(feed)]).toEqual([undefined, 1701, 3000, 1300]);
  });

  test('of the past begins at a position, and reads on in both directions', async () => {
    const { feed } = served(5000);
    await feed.begin(2000);
    expect(range(feed)).toEqual([1701, 2000, 300]);
    expect([feed.hasOlder, feed.hasNewer]).toEqual([true, true]);
    await feed.newer();
    expect(range(feed)).toEqual([1701, 3000, 1300]);
  });

  test('of a pod that nobody has used is empty, and another problem is told until it is over', async () => {
    const { feed, api, all } = served(2);
    const answer = api.listPodMessages;
    api.listPodMessages = () => Promise.reject(new ApiError(404, {}));
    await feed.begin();
    expect([feed.isBegun, feed.problem]).toEqual([true, undefined]);
    api.listPodMessages = () => Promise.reject(new TypeError('no answer'));
    await feed.newer();
    expect(feed.problem).toBeInstanceOf(TypeError);
    api.listPodMessages = answer;
    await feed.newer();
    expect([feed.problem, feed.messages]).toEqual([undefined, all]);
  });
});
