import type { Message } from '@infold/demo/script';
import type { McpTool } from '../mcp/connection.ts';

export interface Asked {
  model: string;
  system: string;
  messages: readonly Message[];
  tools: readonly McpTool[];
}

export interface AskedCall {
  id: string;
  name: string;
  /** Undefined where the model wrote something that is no object. */
  input: Record<string, unknown> | undefined;
}

export interface ModelAnswer {
  text: string;
  calls: readonly AskedCall[];
  /** It was longer than an answer may be, and is not whole. */
  isCut: boolean;
}

/** How one kind of model API is asked, and answers piece by piece. */
export interface Dialect {
  /** After the upstream's address. */
  path: string;
  headers(key: string): Record<string, string>;
  body(asked: Asked): object;
  /** Puts an answer together; what is new in it is told as soon as it is known. */
  reader(onText: (text: string) => void): { read(event: unknown): void; answer(): ModelAnswer };
}

/** Arguments as models write them: JSON, or nothing at all for none. */
export function inputFrom(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
