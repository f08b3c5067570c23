import { WindowTalk } from './conversations.ts';
import { WorkSession } from './sessions.ts';
import { bugHunt, codeReview, contentHere, PROJECT, treeOfWork } from './stories.ts';

export interface Seeded {
  /** Through the window door: one that has ended, and one that somebody may go on with. */
  talks: { whole: WindowTalk; begun: WindowTalk };
  /** A session with folded, discarded, open and collapsed parts; its agent is still connected. */
  work: WorkSession;
}

/** A server that has been used for a while. */
export async function seed({ url }: { url: string }, token?: string, root?: string): Promise<Seeded> {
  const content = contentHere(root);
  const who = { url, ...(token !== undefined && { token }) };
  const work = await WorkSession.begin({ ...who, session: 'atlas-pairs', project: PROJECT });
  await work.do(...treeOfWork(content));
  const whole = new WindowTalk({ ...who, script: codeReview(content), host: 'codex' });
  await whole.finish();
  const begun = new WindowTalk({ ...who, script: bugHunt(content) });
  await begun.ask(begun.turns - 6);
  return { talks: { whole, begun }, work };
}
