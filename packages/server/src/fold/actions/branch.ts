import { foldApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { isoTime } from '../../kernel/clock.ts';
import { randomId } from '../../kernel/ids.ts';
import { countTokensOf } from '../../kernel/tokens/count.ts';
import { projectEvents } from '../../trust/identity/projects.ts';
import { checkText } from '../check-text.ts';
import { createBranch } from '../commands/branch.ts';
import { contextHeaderOf, contextStateOf, emptyState } from '../queries.ts';
import { stateToWrite } from '../session.ts';

export const branch = defineAction(foldApi.contextBranch, {
  async run(input, context) {
    const { config } = context;
    checkText('description', input.description, config.limits.promptBytes, true);
    checkText('prompt', input.prompt, config.limits.promptBytes, true);
    const project = context.project(input.project_path);
    const branch = {
      id: randomId('br'),
      projectId: project.id,
      description: input.description,
      prompt: input.prompt,
      tokens: await countTokensOf(input.prompt),
      budget: input.budget ?? null,
      secrets: context.secrets.count,
    };
    // What an empty session would refuse is refused before a session is made for it.
    createBranch({ state: emptyState(''), path: [] }, branch, config);
    context.spend('branches');
    const { answer, entry, session } = await context.writeToSession(
      (database, session, isNew) => {
        const created = createBranch(stateToWrite(database, session, isNew), branch, config);
        // A new session adds its own project, which is this one.
        const added = isNew ? [] : projectEvents(database, context.caller, project);
        return { events: [...added, ...created.events], answer: created.answer };
      },
      { beginsAlone: true },
    );
    if (context.sessionId === undefined && !context.hasOwnSession) {
      context.notices.push(
        `Nothing else tells which session your calls are for: pass session_id "${session.id}" with the later ones`,
      );
    }
    // What was decided on is known: nothing has to be read again to tell it.
    context.contextState = contextHeaderOf(answer.state, config.contextLimit);
    return {
      structured: {
        branch_id: branch.id,
        session_id: session.id,
        parent_branch_id: answer.parentId,
        created_at: isoTime(entry!.at),
        branch_depth: answer.depth,
        context_state: contextStateOf(answer.state),
      },
    };
  },
});
