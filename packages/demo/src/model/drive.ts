import { type Collapser, createCollapser, resultText, type TokenCounter } from '@infold/client';
import { type ObservedTools, observed } from '@infold/client/mcp';
import type { Client } from '@modelcontextprotocol/client';
import { messageOf } from '../errors.ts';
import type { Answer } from '../script/conversation.ts';
import type { CallOutcome, ModelApi, ModelCall, ToolListing } from './api.ts';

export interface Drive {
  /** Why it ended: the model had nothing more to call, turns ran out, or an answer was too long to be whole. */
  ended: 'answered' | 'turn_limit' | 'cut';
  answer: string;
  /** Tokens of each prompt as it was sent, and as it would have been without collapsing. */
  sent: number[];
  uncollapsed: number[];
  /** Input tokens as the provider counted them; null where it told nothing. */
  reported: (number | null)[];
  calls: number;
  failed_calls: number;
  collapsed: number;
}

export interface DriveOptions {
  api: ModelApi;
  client: Client;
  task: string;
  turns: number;
  countTokens: TokenCounter;
  onTurn?: (turn: number, tokens: number) => void;
  onCollapse?: (summary: string, tokens: number, textTokens: number) => void;
}

const SYSTEM =
  'You are an agent. Use the tools to do what the user asks, without asking back. Call get_workflow_step to learn the steps, and store the findings of a page before you fetch the next one.';
/** A model that branches needs a client that drops messages when it folds; here it has one that collapses. */
const NOT_OFFERED = /^(?:context_(?!expand)|infold_)/;

/** A real model in the place of the script: asks it, makes the calls that it wants, until it has an answer. */
export async function drive(options: DriveOptions): Promise<Drive> {
  const { api, client, task, turns, countTokens, onTurn, onCollapse } = options;
  const collapser = createCollapser({
    countTokens,
    onCollapse: ({ results }) => {
      for (const { text, tokens, textTokens } of results) onCollapse?.(text, tokens, textTokens);
    },
  });
  const caller = observed(client, { collapser, server: 'infold' });
  const tools = await listTools(client);
  const history = api.begin(task);
  const result: Drive = {
    ended: 'turn_limit',
    answer: '',
    sent: [],
    uncollapsed: [],
    reported: [],
    calls: 0,
    failed_calls: 0,
    collapsed: 0,
  };
  while (result.sent.length < turns) {
    const prompt = api.project(collapser, history);
    const tokens = api.tokens(prompt);
    result.sent.push(tokens);
    result.uncollapsed.push(api.tokens(history));
    onTurn?.(result.sent.length, tokens);
    const turn = await api.ask(SYSTEM, prompt, tools);
    result.reported.push(turn.reported ?? null);
    result.answer = turn.text;
    history.push(turn.message);
    // Of an answer that was cut off the last call may lack arguments.
    if (turn.cut || turn.calls.length === 0) {
      result.ended = turn.cut ? 'cut' : 'answered';
      break;
    }
    const outcomes: CallOutcome[] = [];
    for (const call of turn.calls) outcomes.push(await makeCall(caller, call));
    result.calls += outcomes.length;
    result.failed_calls += outcomes.filter(({ failed }) => failed).length;
    history.push(...api.results(outcomes));
  }
  result.collapsed = collapsedIn(collapser);
  return result;
}

/** Whatever goes wrong with a call is for the model to read: it may try again. */
async function makeCall(
  tools: ObservedTools<unknown, Answer>,
  { id, name, input }: ModelCall,
): Promise<CallOutcome> {
  if (!input) return { id, text: 'The arguments are not a JSON object', failed: true };
  try {
    const answer = await tools.callTool({ callId: id, name, arguments: input });
    return { id, text: resultText(answer), failed: answer.isError === true };
  } catch (error) {
    return { id, text: messageOf(error), failed: true };
  }
}

async function listTools(client: Client): Promise<ToolListing[]> {
  const { tools } = await client.listTools();
  return tools
    .filter(({ name }) => !NOT_OFFERED.test(name))
    .map(({ name, description = '', inputSchema }) => {
      // Some servers that speak these APIs refuse it.
      const { $schema, ...schema } = inputSchema as Record<string, unknown>;
      return { name, description, schema };
    });
}

function collapsedIn(collapser: Collapser): number {
  return collapser.state().results.filter(({ phase }) => phase === 'collapsed').length;
}
