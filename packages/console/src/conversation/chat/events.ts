/** The data of server-sent events as it comes, however it is cut into pieces on the way. */
export async function* eventData(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as never)
    .getReader() as ReadableStreamDefaultReader<string>;
  let rest = '';
  let data: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += value ?? '';
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = done ? '' : lines.pop()!;
      for (const line of lines) {
        if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
        else if (line === '' && data.length > 0) {
          yield data.join('\n');
          data = [];
        }
      }
      if (!done) continue;
      if (data.length > 0) yield data.join('\n');
      return;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
