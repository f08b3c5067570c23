import type { CallContext } from '../../call/context.ts';
import { reportOperations } from '../../fold/actions/report-operations.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { readyToCount } from '../../kernel/tokens/count.ts';
import { importLibrary } from '../../library/actions/folders.ts';
import { fileByPath, workflowsOf } from '../../library/queries/files.ts';
import { remember } from '../../memory/actions/remember.ts';
import { addProject } from '../../system/actions/change-projects.ts';
import type { SampleReport } from '../../system/actions/load-samples.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import { SCOPES } from '../../trust/identity/events.ts';
import { listProjects, type Project } from '../../trust/identity/queries.ts';
import { findSession } from '../../trust/sessions/queries.ts';
import { conversationByKey } from '../../window/queries.ts';
import { callsOf } from '../services/calls.ts';
import type { Services } from '../services/services.ts';
import { SampleAgent } from './agent.ts';
import { WORKFLOW, WORKFLOW_PATH, writeMaterial } from './material.ts';
import { folderIn, MODEL, PROJECT, sampleSource } from './source.ts';
import { MEMORIES, story } from './story.ts';

/** The host's name of the session, and of the conversation with its model. */
const SESSION = 'infold-sample';

/**
 * Something to look at for who has nothing yet: a project with a library, memory and records, and the session of an agent
 * that worked there. All of it is made as agents and their hosts make it, and can be forgotten as theirs can.
 */
export class Samples {
  readonly #services: Services;
  /** Who asks twice at once gets one. */
  readonly #loading = new Map<string, Promise<SampleReport>>();

  constructor(services: Services) {
    this.#services = services;
  }

  load(context: CallContext): Promise<SampleReport> {
    const key = JSON.stringify([context.caller.org, context.caller.principal]);
    const loading = this.#loading.get(key) ?? this.#load(context).finally(() => this.#loading.delete(key));
    this.#loading.set(key, loading);
    return loading;
  }

  async #load(context: CallContext): Promise<SampleReport> {
    const { caller, database } = context;
    await readyToCount();
    const project = await this.#project(caller);
    await this.#material(caller, project);
    const items = await this.#memories(caller, project);
    const known = findSession(database, caller, SESSION, project.id);
    const isNew = known?.project_id !== project.id;
    if (isNew) await this.#work(context, project);
    return {
      project: { id: project.id, name: project.name },
      session_id: findSession(database, caller, SESSION, project.id)?.id ?? null,
      conversation: conversationByKey(database, caller.org, caller.principal, SESSION)?.id ?? null,
      records: MODEL,
      workflow: WORKFLOW,
      items,
      created: isNew,
    };
  }

  async #project(caller: Caller): Promise<Project> {
    const { database } = this.#services.journal;
    const find = () => listProjects(database, caller.org).find(({ name }) => name === PROJECT);
    if (!find()) await callsOf(this.#services, caller)(addProject, { name: PROJECT });
    return find()!;
  }

  /** The records and the library are the project's; whoever is first to ask brings them. */
  async #material(caller: Caller, { id, workspace_id }: Project): Promise<void> {
    const { config, journal, records } = this.#services;
    const folder = folderIn(config);
    const { library } = writeMaterial(folder, MODEL);
    records.add(sampleSource(config, journal.database));
    if (fileByPath(journal.database, workspace_id, WORKFLOW_PATH)) return;
    if (workflowsOf(journal.database, workspace_id).length > 0) {
      throw new InfoldError(
        'conflict',
        `There is a project named "${PROJECT}" with workflows of its own; the sample would mix with it. Rename that project first`,
      );
    }
    // Publishing takes more than writing does; but these files are ours, and go nowhere else.
    const publisher = { ...caller, scopes: SCOPES };
    await callsOf(this.#services, publisher)(importLibrary, { project: id, folder: library, publish: true });
  }

  async #memories(caller: Caller, { id: project }: Project): Promise<number> {
    const call = callsOf(this.#services, caller);
    for (const [place, item] of MEMORIES.entries()) {
      await call(remember, { ...item, project, idempotency_key: `${SESSION}-${place + 1}` });
    }
    return MEMORIES.length;
  }

  async #work(context: CallContext, { id: project }: Project): Promise<void> {
    const call = callsOf(this.#services, context.caller);
    const agent = new SampleAgent(this.#services, {
      ...{ caller: context.caller, project, session: SESSION },
      report: (operation) => call(reportOperations, { id: SESSION, project, operations: [operation] }),
    });
    for (const step of story(project, MODEL)) {
      await agent.take(step);
      await context.giveWay();
    }
    await agent.ask('');
    const collapsed = agent.used.map(({ handle, summary }) => ({ handle, summary }));
    if (collapsed.length > 0) await call(reportOperations, { id: SESSION, project, collapsed });
  }
}
