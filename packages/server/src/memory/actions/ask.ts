import { memoryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { elsewhereNotices } from '../pack/elsewhere.ts';
import { worthRemembering } from '../pack/nothing.ts';
import { passagesAbout } from '../passages-about.ts';
import { enoughIn, favouredProject, searcherFor, usedIn } from '../read-access.ts';

export const askMemory = defineAction(memoryApi.askMemory, {
  async run({ q, domain, limit, complete, ...whose }, context) {
    const reader = searcherFor(context, whose);
    const { passages, change, elsewhere } = await passagesAbout(context.database, {
      question: q,
      complete,
      domain,
      limit,
      now: context.clock(),
      reader,
      usedIn: usedIn(context, reader),
      favouredProject: favouredProject(context),
      enough: enoughIn(whose.project),
      giveWay: context.giveWay,
    });
    const isNothing = passages.length === 0;
    const notices = [
      ...(isNothing ? [`Worth remembering once it is known: ${worthRemembering(q, 'general', change)}`] : []),
      ...elsewhereNotices(elsewhere),
    ];
    context.notices.push(...notices);
    return { structured: { passages, next: null, ...(notices.length > 0 ? { notices } : {}) } };
  },
});
