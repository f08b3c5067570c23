import { createCollapser, resultText } from '@infold/client';
import { projectAnthropic } from '@infold/client/anthropic';
import { observed } from '@infold/client/mcp';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { countTokens } from 'gpt-tokenizer';

/** An MCP client over HTTP, with the project that its calls are about, and names that a model's API takes. */
export async function connect(url, token, project) {
  const client = new Client({ name: 'team-example', version: '1.0.0' });
  const address = new URL(`/mcp?names=portable&project=${encodeURIComponent(project)}`, url);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit }));
  return client;
}

/**
 * An agent's conversation with its model, in the form of Anthropic's Messages API. The model is a script: what it
 * answers are the calls that the analyst makes. What a model would be sent is counted before every call, and so is
 * what it would be sent if nothing were collapsed and nothing folded.
 */
export class Conversation {
  #whole;
  #history;
  #collapser;
  #tools;
  prompts = [];
  /** Where the session stands, as the last answer told. */
  state;

  constructor(client, task, onCollapse) {
    this.#whole = [{ role: 'user', content: task }];
    this.#history = [...this.#whole];
    this.#collapser = createCollapser({ countTokens, onCollapse });
    this.#tools = observed(client, { collapser: this.#collapser, server: 'infold' });
  }

  /** One turn: the model is sent the conversation and answers with this call. Answers the call's data and marks. */
  async call(name, input = {}) {
    this.#send();
    const id = `call_${this.prompts.length}`;
    const result = await this.#tools.callTool({ callId: id, name, arguments: input });
    const text = resultText(result);
    if (result.isError) throw new Error(`${name} was refused: ${text}`);
    this.state = result._meta?.['infold/contextState'] ?? this.state;
    this.#add({ role: 'assistant', content: [{ type: 'tool_use', id, name, input }] });
    this.#add({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: text }] });
    return { ...result.structuredContent, handle: result._meta?.['infold/handle'] };
  }

  /** The model has nothing more to call. */
  finish(text) {
    this.#send();
    this.#add({ role: 'assistant', content: text });
  }

  /** A place to fold back to: right after the last result. */
  mark() {
    return this.#history.length;
  }

  /** A fold is real when the client drops the branch's messages: the call that began it answers its summary. */
  fold(mark, summary) {
    const began = this.#history[mark - 1];
    const content = began.content.map((block) => ({ ...block, content: summary }));
    this.#history = [...this.#history.slice(0, mark - 1), { ...began, content }];
  }

  figures() {
    const last = this.prompts.at(-1);
    const sum = (name) => this.prompts.reduce((total, prompt) => total + prompt[name], 0);
    const { results, collapsed, pending } = this.#collapser.stats();
    return {
      turns: this.prompts.length,
      results: { observed: results, collapsed, pending },
      last_prompt: last,
      largest_prompt: {
        sent: Math.max(...this.prompts.map(({ sent }) => sent)),
        whole: Math.max(...this.prompts.map(({ whole }) => whole)),
      },
      all_prompts: { sent: sum('sent'), whole: sum('whole') },
    };
  }

  #add(message) {
    this.#whole.push(message);
    this.#history.push(message);
  }

  #send() {
    const sent = projectAnthropic(this.#collapser, this.#history);
    this.prompts.push({ sent: tokensOf(sent), whole: tokensOf(this.#whole) });
  }
}

const counted = new Map();

/** What a model reads of it, without system prompt and tool definitions. A message is counted once. */
function tokensOf(messages) {
  return messages.reduce((sum, { content }) => {
    const text = textOf(content);
    if (!counted.has(text)) counted.set(text, countTokens(text));
    return sum + counted.get(text);
  }, 0);
}

function textOf(content) {
  if (typeof content === 'string') return content;
  return content
    .map(({ name, input, content: text }) => text ?? `${name} ${JSON.stringify(input)}`)
    .join('\n');
}
